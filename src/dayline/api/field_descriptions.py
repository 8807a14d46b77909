"""What a field of a request or response means, for the fields whose struct does not describe them.

One name has one meaning in the whole API, so each is described once. A field with a meaning of its own has a
description in its struct, which counts.
"""

from collections.abc import Mapping
from typing import Final

_TEXTS: Final = """
action: what happens to a text that matches
address: the address that the requests came from
after: the value after the change
alias: keep the old id as an alias
aliases: former ids under which watchers still find the bucket
annotations: annotations in the range, or whether they count
app: the name of the program
at: the time in question
author: who made the change
away: whether time away from the device counts
away_since: since when the device has not been used; null while it is in use
background: the background work of the server
backups: the backups, the newest first
before: the value before the change
bin: the length of each interval
breaks: time without activity between the first and the last
bucket: the id of the bucket
bucket_prefix: only buckets whose id starts with this
buckets: the buckets concerned; in a key, an empty list means all
by: the field by which time is grouped
bytes: the size in bytes
call: the operation that was requested
categories: the categories
category: the path of the category, from the root
change: what happened to the bucket
changed: when it was changed, or how many events were
changed_events: events with changed data
changed_values: distinct data objects that were changed
changes: the changes, the latest first
client: the name of the program that records
code: the one-time code
color: a color of the palette, or `#rrggbb`; null chooses one
column: the column, or its position from 1
columns: the columns of the timesheet
comment: why the change was made
compare: the range that the totals are compared with
condition: the condition of the rule
conditions: the rules: time that matches any of them belongs to it
conflicts: fields that differ from those of the existing bucket
copied: the settings that were copied
count: how many there are
created: when it was created
currency: the currency of the rates
current: the current state, if the request was based on an older one
cursor: pass it to get the next page; null on the last one
cut: events that were cut at the edges of the range
dark: the color in the dark theme, as `#rrggbb`
data: a JSON object with the content
database: the location of the database
date: the day
depth: how many levels of categories to show; deeper ones count for their parent
day: the day that the totals belong to
day_start: the time at which a day starts
days: the number of days, or the days themselves
demo: whether there is demo data
density: the density of lists on the page
description: what it is, in words
device: the host name of the device
device_id: identifies this server's database to clients
devices: the devices with their time
done: how much is finished
dropped: events that privacy rules drop
dropped_events: events that were deleted
dry_run: whether nothing was changed
duration: the length in seconds
duration_style: how the page writes lengths of time
edge: what happens to events that only partly are in the range
edges: the edges of the intervals; one more than there are values
enabled: whether it is turned on
encrypted: whether the backup is encrypted
end: the end (exclusive)
ended: the number of sessions that were ended
entries: the entries
envelope: whether requests with this key must be encrypted
error: why it failed; null otherwise
errors: the errors that were found
event: the event
events: the events, or how many there are
events_in: events that the statement received
events_out: events that the statement returned
events_read: events that were read
example: a program that uses the function
examples: some of the events
excerpt: the line of the program with a mark at the error
expected: what was expected instead
expires: when it expires; null for never
expires_in_s: seconds until it expires
facets: the most frequent values of some fields among all hits
failures: failures since the last success
fallbacks: texts that needed the slower regular expressions
faults: rules that cannot be used, and why
field: the field that the text is in, or that the error is about
filter: only time that matches, as `field:op:value`
filters: rules in the setting `privacy_filters`
findings: the problems that were found in the data
finished: when it finished; null while it runs
first: when it happened first
first_seen: the start of its oldest event
folder: the folder of the backups
force: whether to merge buckets of different types
format: the format of the result
former_hostname: the previous host name
former_id: the previous id
friday: working hours on Friday; null for none
from: where time comes from
gaps: gaps shorter than this count as work
goals: the goals with their progress
grace_s: seconds for which the previous secret stays valid
hint: how to fix it; null if there is nothing to add
histogram: active time of all hits over the range
hits: the hits of this page
hostname: the host name of the device
id: identifies it; never reused
ids: the ids of the events
ignore_case: whether case does not matter
ignored: suggestions that were dismissed
imported: events that were imported
into: the id of the bucket that receives the events
invalid: events that are not valid and were left out
is_active: whether it can be used now
is_always_active: whether its time counts without input
is_billable: whether its time is billed
is_deleted: whether the setting was removed
is_dry_run: whether nothing was changed
is_exact: whether the numbers were counted and not estimated
is_ignored: whether the suggestion is dismissed
is_last: whether it is the newest event of the bucket
is_mendable: whether it can be fixed automatically
is_met: whether the goal was reached
is_new: whether the bucket does not exist yet
is_new_address: whether the address signed in for the first time
is_newer: whether the other device began later
is_on: whether it counts
is_optional: whether it may be left out
is_over_period: whether the function works on the period of the query
is_set: whether the setting has a value
is_signed_in: whether the browser is signed in
is_testing: whether the server runs in testing mode
is_valid: whether the program is valid
is_variadic: whether it takes any number of values
items: the number of entries
jobs: the jobs, the newest first
kept: settings that already had another value and stay
key: the key, or the value by which time is grouped
key_id: the id of the key; null without one
key_name: the name of the key; null without one
keys: the groups, in the order of the values
kind: which kind it is
known: events that exist already
label: the note on the span of time
lanes: the rows of the timeline
language: the language of the page, as a tag such as `de`; null for that of the browser
last: when it happened last
last_address: the address of the last request
last_error: why it failed last; null if it did not
last_failure: the last backup that failed; null if none did
last_run: when it ran last
last_seen: the end of its newest event
last_updated: the end of its newest event
last_used: when it was used last
layer: the part of a day that the rule was matched with
least: entries shorter than this are left out
left_out: what the table does not contain
level: the level of the log record
light: the color in the light theme, as `#rrggbb`
line: the line, from 1
lines: the lines, the newest first
lists: for each field, the values with the most time
log_file: the log file of the server
logger: the part of the server that wrote the record
looks_like: devices that may be the same one under another name
made: when it was made
max_result_bytes: the largest result that the client accepts
measured: when disk space was measured
merge: whether to merge into a bucket that exists
merged: whether what was recorded since was merged into it
message: what happened, in one sentence
metadata: fields of the bucket in the format of ActivityWatch
monday: working hours on Monday; null for none
moved: how much changed its place
moves: time that changes its category
name: the name, or the path of a category
needs_key: whether requests need a key
new: events that do not exist yet, or the new host name
next_run: when it runs next; null if that is not known
note: a longer text
notes: texts on the day
now: the time of the response
number: its number; larger ones are later
of: whose settings these are
old: the previous host name
op: how field and value are compared
other: the rest, or the other one
others: the rules that also match
ours: the sums of the target
outcome: what happened to the category
overlapping: events that overlap others in the target
parameters: its parameters
parts: what the space is used for
path: the path of the file, or of the category
pattern: the regular expression
per: the unit or the period that it applies to
period: the period that was evaluated
present: whether there is demo data
prev_range: the range that is compared with
prev_total: the total of the earlier range
printed: what the program printed
priority: the higher number wins if several rules match
problem: what is wrong; null otherwise
problems: what is wrong, the most important first
progress: how far it is
projects: the projects
proof: the sums of source and target, by bucket
px: the number of pixels that the pieces are merged for
query: the program
range: the range of time
rate: the price of an hour; null for none
rates: prices of an hour by name
reads: what was read from each bucket
reason: why it is suggested
reduced_motion: whether the page avoids motion; null for the setting of the browser
refused: settings that were rejected, and why
regex: the regular expression
removed: events that were deleted
rename: whether the id changes along with the host name
renamed_hosts: devices that seem to have been renamed
replacement: the text that replaces a match
request_id: identifies the request in the server's log
result: what the job produced; null until it is done
result_bytes: the size of the result
results: the result for each period
resumed: whether no change was missed since the last connection
returns: the type of the result
revision: a number that grows with every change
revoked: when it was revoked; null if it was not
round: how times are rounded
row_events: events that were read from rows
rows_read: rows that were read
rule: the rule
rules: the rules
same: settings that already had the same value
samples: some examples
saturday: working hours on Saturday; null for none
schema: the version of the tables in the backup
schedule: when backups are created, and how many are kept
scope: what the key may do
seconds: the length in seconds
seen: whether it has sent something
segment_events: events that were read from packed months
segments: packed months that were read
segments_read: packed months that were read
select_keys: the keys of the data that are matched; null for all
sessions: the sessions
settings: what happened to each setting
since: since when
single_letter_keys: whether single letters are shortcuts on the page
skipped: events that were left out
source: where the value comes from
start: the start (inclusive)
started: when it started
state: its current state
statements: the statements of the program
statistics: what the query read and how long it took
status: the status, or the HTTP status of the response
success: always true
suggestions: the suggestions, the most time first
summary: what it does, in one sentence
sunday: working hours on Sunday; null for none
tenant: the tenant that the key belongs to
terminal: the color on terminals, as `#rrggbb`
testing: whether the server runs in testing mode
text: the text
theirs: the sums of the source
theme: the theme of the page
this_device: the host name of the server's computer
thursday: working hours on Thursday; null for none
ticket: valid once, as the parameter `ticket` of a download
time_zone: the IANA time zone; null for that of the browser
timeout_s: seconds after which the query is stopped
timestamp: the start of the event
title: the title of the window, tab or report
titles: the titles of the pieces
to: where time goes to, or the step of rounding
total: the whole amount
totals: the sums over the range
tuesday: working hours on Tuesday; null for none
type: the type: for buckets, what their events are about
tz: the time zone of the days
uncategorized: seconds without a category
undo: the number of the undo entry, for `POST /api/1/undo/{id}`
url: the address of the page
user_agent: the program, as its requests name it
value: the value
values: distinct data objects
version: the version
versions: the versions, the latest first
warnings: what to consider before the change
watchers: well-known watchers, and whether they have sent something
wednesday: working hours on Wednesday; null for none
week: the same for the week
week_start: the first day of a week
when: when it happened
who: who made the requests
work: time inside and outside of working hours; null without working hours
year: the year
years: the space by year
"""

DESCRIPTIONS: Final[Mapping[str, str]] = dict(
    (name, text) for name, _, text in (line.partition(": ") for line in _TEXTS.strip().splitlines())
)
