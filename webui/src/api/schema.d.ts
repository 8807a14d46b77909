// Made from the server's OpenAPI document (make docs): change the server instead.
export interface paths {
    "/api/0/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell what server this is
         * @description Clients ask this first, to see whether a server is there.
         */
        get: operations["get_info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether to send calls to this server
         * @description 503 while the server stops, or cannot write to its database: then another server of that database is to be asked.
         *
         *     Whether the process is alive is what `/api/0/info` tells: it answers then, too.
         */
        get: operations["get_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the latest log records
         * @description The records since the start, at most the latest thousand.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        get: operations["get_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell how the server runs, and what it was started with
         * @description Settings of a file, of the environment or of the command line are changed there, and need a new start.
         *
         *     None of them is a secret: keys and passphrases lie in files, and `settings` has their paths alone.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        get: operations["get_own_server"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/server/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove which database this server serves
         * @description The `dayline` command asks this before it sends anything else.
         *
         *     It sends its token only to the server that wrote the token file, and that still serves the same database.
         */
        get: operations["prove_store"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/welcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell what there is to begin with
         * @description Databases are looked for where the servers of ActivityWatch keep them, for the user who runs this server.
         *
         *     They are only read, and nothing of them is copied: `POST /api/1/migrations` does that, `POST /api/1/demo` fills the
         *     server with something to look at. Where several people share a database, the disk of the server is of no concern to
         *     those with a key by name.
         */
        get: operations["get_welcome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/migrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring the data of an existing server along
         * @description Buckets, events and settings of a database that `GET /api/1/welcome` has found, and no other file.
         *
         *     It is only read, and its server may go on running. What is there already is skipped, so that it can be done again
         *     for what is new. At the end both sides are added up, each by itself: the `proof` of the job's `result`. Cancelled,
         *     it moves the buckets that it has made to the trash, and removes the settings that it has set.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        post: operations["start_migration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make invented activity to look around with
         * @description One person's invented days on a laptop, a desktop and a phone, and categories for them where there are none.
         *
         *     They are in buckets of their own, also where something was recorded already, and can be removed again. The body may
         *     be left out. The progress of the job counts days.
         */
        post: operations["start_demo"];
        /**
         * Remove the invented activity
         * @description Moves the demo's buckets to the trash, and removes its categories if they were not changed.
         *
         *     It is one operation: undoing it brings the buckets back, and the categories if there are none by then. A demo that
         *     is being made is cancelled first. What was recorded is not touched.
         */
        delete: operations["remove_demo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/buckets/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all buckets
         * @description Without their events. A server without buckets answers `{}`.
         */
        get: operations["list_buckets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/buckets/{bucket_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a bucket
         * @description Its fields and the time that its events span, without the events.
         */
        get: operations["get_bucket"];
        /**
         * Change a bucket's fields
         * @description Fields that are left out stay as they are; `data` is replaced as a whole.
         */
        put: operations["update_bucket"];
        /**
         * Create a bucket
         * @description Watchers call this on every start: a bucket that exists is left as it is and answered with 304.
         *
         *     The host name `!local` stands for the computer that the server runs on; the bucket's `data` then tell its device id.
         *     The body has at most 64 KiB.
         */
        post: operations["create_bucket"];
        /**
         * Delete a bucket and its events
         * @description A heartbeat to the bucket is an error from then on, until it is created again.
         *
         *     The bucket and its events stay in the trash for a while: `Undo-Id` is what brings them back.
         */
        delete: operations["delete_bucket"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/buckets/{bucket_id}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a bucket
         * @description Nothing but the id changes, however many events there are.
         *
         *     With `alias`, as by default, the bucket is found under its old id too, by every call: a watcher that still uses it
         *     goes on, and so do queries. Lists show the bucket once, under its new id.
         */
        post: operations["rename_bucket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/buckets/{bucket_id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge a bucket into another
         * @description All its events go over, under new ids; what is there already is skipped, as by an import.
         *
         *     The bucket itself goes into the trash, and its id becomes an alias of the other: what its watcher sends from then on
         *     goes there. Recording goes on meanwhile. Undoing it removes from the other what came with it, and brings the bucket
         *     back as it was. With `dry_run` nothing is done, and the answer tells what would be.
         */
        post: operations["merge_bucket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/buckets/{bucket_id}/rehost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a bucket to another host
         * @description For a computer that has another name now: its history must not be split.
         *
         *     Where the id ends in the old host name, it is renamed, and its old id is an alias. Where there is a bucket of the
         *     new id already, it is merged into that if `merge` says so, and refused if not.
         */
        post: operations["rehost_bucket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/aliases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the aliases of buckets
         * @description In order of their ids. Renaming, merging and rehosting make them.
         */
        get: operations["list_aliases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/aliases/{alias}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an alias
         * @description A watcher that uses it has to create a bucket of its own then.
         */
        delete: operations["remove_alias"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/buckets/{bucket_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get events, newest first, clipped to the range
         * @description An event is given if it ends at `start` or later and begins at `end` or earlier.
         *
         *     What lies outside the range is cut off: such an event comes with a later timestamp or a shorter duration than it
         *     has. Events that begin at the same time come in the order of their ids.
         */
        get: operations["get_events"];
        put?: never;
        /**
         * Insert events, or replace those whose id is given
         * @description Send a list and get a list, or one event and get one. Either all events are stored, or none.
         *
         *     An event without an id is appended as it is, also where it overlaps or repeats another. An event with an id replaces
         *     the one that has this id; where there is none, it is stored under it. An id of another bucket is refused. Events
         *     that a privacy rule drops are left out of the list; a single one is answered as it was sent, with the id `null`. A
         *     key that may only append may not give ids: that would be to replace.
         */
        post: operations["insert_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/buckets/{bucket_id}/events/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count events
         * @description The events that the same `start` and `end` would give.
         */
        get: operations["count_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/buckets/{bucket_id}/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event, unclipped
         * @description With its whole length, whatever range was looked at before.
         */
        get: operations["get_event"];
        put?: never;
        post?: never;
        /**
         * Delete an event
         * @description Answers 200 also where there was no such event, and says so.
         */
        delete: operations["delete_event"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/buckets/{bucket_id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend the last event, or begin a new one
         * @description A heartbeat says that something is still so.
         *
         *     Where its data equal those of the bucket's last event, and it begins no more than `pulsetime` seconds after that
         *     event's end, the last event is extended to its end. Otherwise it becomes an event of its own. The answer is sent
         *     when the change is on disk. A heartbeat that a privacy rule drops is answered as it was sent, with the id `null`.
         */
        post: operations["send_heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/events/{bucket_id}/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event with all about it
         * @description With its whole length, whatever range was looked at before, and where it comes from.
         *
         *     Its ETag, sent back as `If-Match` with a change, makes sure that nobody else has changed it in the meantime. The
         *     last event of a bucket grows with every heartbeat, which is no change in this sense: see the page on events.
         *     With `include` the answer has its category, and the annotations over it; `POST /api/1/categories/explain` tells why.
         */
        get: operations["read_event"];
        put?: never;
        post?: never;
        /**
         * Put an event into the trash
         * @description The event goes into the trash, from where `undo` brings it back. With `If-Match` only if it is as it was read.
         */
        delete: operations["remove_event"];
        options?: never;
        head?: never;
        /**
         * Change an event
         * @description Changes what is given and leaves the rest alone: the beginning, the end or the length, the data as a whole.
         *
         *     With `If-Match` it is done only if the event is still as it was read; otherwise the answer is 412, and tells what it
         *     is now. Privacy rules apply to new data as they do to what is recorded.
         */
        patch: operations["change_event"];
        trace?: never;
    };
    "/api/1/events/{bucket_id}/{event_id}/split": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Split an event in two
         * @description Makes two events of one, with the same data: the first keeps the id and ends where the second begins.
         *
         *     That is one act: `undo` makes one event of them again, also where heartbeats have made the second longer since.
         */
        post: operations["split_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/events/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete events by range, ids or data
         * @description Deletes every event of a bucket that all that is given is true of; with `dry_run` it only tells how many.
         *
         *     It is one act, however many there are, and `undo` brings all of them back. Recording goes on meanwhile. An event
         *     that somebody else changes in the meantime is left alone.
         */
        post: operations["delete_selected_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/buckets/{bucket_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a bucket, page by page
         * @description Page by page, unclipped: the events that lie at least partly between `start` and `end`.
         *
         *     A cursor goes on after the last event of its page, whatever was inserted or deleted since: no event comes twice, and
         *     none that was there all the time is left out. With a filter a page may have fewer events than `limit`, or none, and
         *     yet a cursor.
         */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/query/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a query
         * @description Answers with the values of `RETURN`, one for each period, in their order. One that fails fails the whole query.
         *
         *     The lines are joined with a newline between them. Each run begins anew: nothing is kept from one period to the next.
         */
        post: operations["run_query"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a query, and tell what it took
         * @description The same, with what it took and what the program printed, and with limits of one's own.
         *
         *     `timeout_s` and `max_result_bytes` may be as large as the server's settings allow.
         */
        post: operations["run_query_with_statistics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/query/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a query without running it
         * @description Reads the program without running it. A program with errors is not an error of this call.
         */
        post: operations["check_query"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/query/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain what a query does
         * @description Runs the program and tells, of each statement in each period, what it read and how long it took.
         *
         *     Shows why a query is slow: events that come from rows, not from packed segments, and patterns that the quick matcher
         *     does not take. The results themselves are left out.
         */
        post: operations["explain_query"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/query/functions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the functions of the query language
         * @description Every function of the language, with its parameters and an example: for completion, and for docs.
         */
        get: operations["list_functions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find words in what was recorded
         * @description Over titles, addresses and every other string of the data, of all time where no range is given.
         *
         *     Words are found by their beginnings, `"quoted ones"` as they stand, `-word` must not be there. Case and accents do
         *     not matter. Operators: `app: title: url: domain: bucket: device: type: after: before: on: dur>2m dur<10s`.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get totals of a range, and what the time was spent on
         * @description Totals of a range, and for each field of `by` the keys with the most time.
         *
         *     Where somebody used two devices at once, the time counts once, for the device whose window came to the front
         *     last; only `by=device` counts it for both, and `overlap` tells how much that is.
         */
        get: operations["get_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the time of every hour, day, week or month
         * @description The seconds of every bin, for the largest keys of `by`, for all others together, and in total.
         *
         *     Bins begin and end with the days of the time zone, and with the hours that its clocks show: a day on which they are
         *     set back has 25 of them. What lies across an edge is split there.
         */
        get: operations["get_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/reports/timesheet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a timesheet
         * @description A line for each day on which something counts, and a column for each category, project, app, title or label.
         *
         *     An entry is the time of one key on one day. Rounding is of each entry, or of the day as a whole: then the entries
         *     share the rounded time in whole steps. Amounts follow the rounded time. `format` makes CSV of it, or a page that
         *     prints well. A `template` is a report that is kept: what is given here goes before what it says.
         */
        get: operations["get_timesheet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reports that are kept
         * @description In order of their names, each with the parameters that it is asked with.
         */
        get: operations["list_reports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/reports/{report}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a kept report
         * @description One report with the parameters that it is asked with: `GET /api/1/reports/timesheet?template=…` makes it.
         */
        get: operations["get_report"];
        /**
         * Keep a report under a name
         * @description Keeps a report under this name, in place of one that has it. What it was stays in the history of settings.
         */
        put: operations["keep_report"];
        post?: never;
        /**
         * Remove a kept report
         * @description Removes a report; what it was stays in the history of settings, and is answered.
         */
        delete: operations["remove_report"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/buckets/{bucket_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a bucket
         * @description The whole bucket as a file, in the form that import takes.
         */
        get: operations["export_bucket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything
         * @description All buckets as a file, in the form that import takes. It is written while it is read, whatever its size.
         */
        get: operations["export_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a bucket or everything, as a document, a table or lines of JSON
         * @description Newest first, without ids; of any size. As a document it is what import takes.
         *
         *     A table has the columns bucket, host, type, start, end, duration in seconds, app, title, url, and all data as JSON;
         *     a text that a spreadsheet would take for a formula begins with an apostrophe. A line of JSON has the bucket, the
         *     timestamp, the duration and the data of an event. An event that begins after the export does is not in it.
         */
        get: operations["export_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import an export document
         * @description As JSON, or as a form with one or more files.
         *
         *     Buckets that exist are merged into: events that are there already, with the same time, duration and data, are
         *     skipped, so that sending the same document twice changes nothing. Ids of events are ignored. An event that cannot be
         *     used is left out and counted; a document that cannot be read changes nothing at all. Privacy rules apply to what is
         *     imported as they do to heartbeats, and what they drop is counted too.
         */
        post: operations["import_documents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/annotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is said about spans of time
         * @description Those that touch the time from `start` to `end`, the one that begins last first, switched off or not.
         *
         *     Whatever else is in their bucket, and is no annotation that could be used, is left out.
         */
        get: operations["list_annotations"];
        put?: never;
        /**
         * Say something about a span of time
         * @description Nothing that was recorded changes: it counts in summaries and reports, and can be switched off and undone.
         *
         *     It is stored as an event of the bucket `dayline-annotations`, which is made with the first one.
         */
        post: operations["create_annotation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/annotations/{annotation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an annotation
         * @description Its ETag is what `If-Match` takes.
         */
        get: operations["get_annotation"];
        put?: never;
        post?: never;
        /**
         * Delete an annotation
         * @description It goes into the trash. To keep it without its effect, set `is_on` to false. With `If-Match` as in a change.
         */
        delete: operations["delete_annotation"];
        options?: never;
        head?: never;
        /**
         * Change an annotation, or switch it off
         * @description Changes the fields that are given, and leaves the others alone. With `If-Match`, only what has that ETag.
         */
        patch: operations["change_annotation"];
        trace?: never;
    };
    "/api/1/goals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the goals
         * @description In the order in which they were made, those that are switched off too.
         */
        get: operations["list_goals"];
        put?: never;
        /**
         * Make a goal
         * @description A target or a limit for each day, week or month. Goals have a history: `/api/1/settings/history?key=goals`.
         */
        post: operations["create_goal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/goals/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how far you are with your goals
         * @description In the day, week or month around a `date`: how much there is of each goal, and how that compares with its pace.
         *
         *     Goals that are switched off are left out. A key for some buckets gets no goals: like `/api/1/goals`, they are about
         *     all buckets.
         */
        get: operations["get_goals_progress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/goals/work-hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the hours of work
         * @description What is outside of them is overtime, which a goal can be about, and `/api/1/goals/progress` tells.
         */
        get: operations["get_work_hours"];
        /**
         * Set the hours of work
         * @description Takes the place of all of them; `{}` removes them.
         */
        put: operations["set_work_hours"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/goals/{goal_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a goal
         * @description Its ETag is what `If-Match` takes.
         */
        get: operations["get_goal"];
        put?: never;
        post?: never;
        /**
         * Delete a goal
         * @description Answers with the goals that are left. The history of the setting has it still, and can restore it.
         */
        delete: operations["delete_goal"];
        options?: never;
        head?: never;
        /**
         * Change a goal, or switch it off
         * @description Changes the fields that are given, and leaves the others alone. With `If-Match`, only what has that ETag.
         */
        patch: operations["change_goal"];
        trace?: never;
    };
    "/api/0/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all settings
         * @description Every key with its value; `{}` where there are none.
         */
        get: operations["list_settings"];
        put?: never;
        /**
         * Refuse a setting without a key
         * @description Without a key there is nothing to set.
         */
        post: operations["set_nothing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/0/settings/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a setting
         * @description A key that is not set is no error: its value is `null`.
         */
        get: operations["get_setting"];
        put?: never;
        /**
         * Set a setting
         * @description Any JSON value, also `null`, `false` or an empty one, is stored as it is.
         *
         *     `privacy_filters` alone the server reads itself: a list of privacy rules that cannot be used is refused, and what
         *     was in force stays so. `classes`, the categories, may be anything; what Dayline keeps beside them stays.
         */
        post: operations["set_setting"];
        /**
         * Delete a setting, set or not
         * @description The same answer whether or not it was set.
         */
        delete: operations["delete_setting"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the preferences
         * @description Every preference, those too that nobody has set.
         */
        get: operations["get_preferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change some preferences
         * @description Changes the fields that are given, all or none of them, and leaves the others alone; `null` resets one.
         *
         *     The values that they had stay in the history.
         */
        patch: operations["change_preferences"];
        trace?: never;
    };
    "/api/1/settings/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what settings were changed to
         * @description What settings were changed to: Dayline's own, or with `of=client` those at `/api/0/settings`.
         *
         *     Dayline's own are not only the preferences. The others, such as the privacy rules, are for keys of scope `full`.
         */
        get: operations["get_setting_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/settings/history/{number}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a setting a value that it had before
         * @description The setting gets the value that this change gave it, or is removed if the change removed it.
         *
         *     That is a change of its own: what it had until now stays in the history, too.
         */
        post: operations["restore_setting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether this browser is signed in
         * @description For pages: whether to show the way in.
         */
        get: operations["get_session"];
        put?: never;
        /**
         * Sign this browser in
         * @description Sets a cookie that scripts cannot read. Calls that change something then need the header `X-Dayline: 1`.
         */
        post: operations["begin_session"];
        /**
         * Sign this browser out
         * @description Signs this browser out; also where it was not signed in.
         */
        delete: operations["end_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/session/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a one-time code that signs a browser in
         * @description What `dayline open` asks for: the code goes behind the `#` of a link, where no log and no proxy sees it.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        post: operations["create_sign_in_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/session/others": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign all other browsers out
         * @description Signs out every browser but the one that asks; where several people share a database, your own alone.
         */
        delete: operations["end_other_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers that are signed in
         * @description Only browsers that are signed in now. Where several people share a database, your own alone.
         */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        /**
         * Sign all browsers out
         * @description Signs out every browser, also the one that asks; where several people share a database, your own alone.
         */
        delete: operations["end_all_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign a browser out
         * @description From now on the browser is signed out. The key that it signed in with stays valid.
         */
        delete: operations["revoke_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sessions/{session_id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm that you signed in from a new address
         * @description Health no longer reports the sign-in. Later sign-ins from the same address are not reported either.
         */
        post: operations["confirm_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys
         * @description In order of creation, those that are revoked or expired too. The keys themselves are kept nowhere.
         *
         *     Where several people share a database, a key of one of them lists that person's keys alone.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Make a key
         * @description The answer holds the key itself: keep it, it is never shown again.
         *
         *     `append` may create its buckets, send heartbeats and insert events; `read` may read and query; `full` may do
         *     everything. A key with buckets is for those alone. With `envelope` it may also send enveloped calls. On PostgreSQL,
         *     `tenant` has it open the data of that person; only whoever looks after the server may name another one.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description From now on it opens nothing, and browsers that signed in with it are signed out. It stays in the list.
         */
        delete: operations["revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key by a new one that may do the same
         * @description A new key of the same name, scope and buckets takes the place of the old one, at once or after `grace_s`.
         *
         *     A lifetime begins anew. The answer holds the key itself: keep it, it is never shown again.
         */
        post: operations["rotate_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who has called
         * @description Recording and reading are counted by day, caller, address, call, bucket and status; refusals by hour.
         *
         *     Everything that destroys something has a line of its own.
         */
        get: operations["get_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/envelope": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a call that nobody else can read
         * @description The body is a JWE in compact form; so is the answer, whatever the status inside it.
         *
         *     Inside are method, path, query, body, time and a nonce. A call that is more than five minutes away from the time of
         *     this server is refused, and so is a change whose nonce was used before.
         */
        post: operations["send_enveloped"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/privacy/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the privacy rules
         * @description Those of the setting `privacy_filters` come first, then Dayline's own, each in order.
         */
        get: operations["get_privacy_rules"];
        /**
         * Replace Dayline's own privacy rules
         * @description Takes the place of all rules of Dayline's own, and leaves the setting `privacy_filters` alone.
         *
         *     They are in force for every event that arrives after the answer. A list in which one rule cannot be used is refused
         *     as a whole. What is stored already is not changed: see preview and apply.
         */
        put: operations["set_privacy_rules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/privacy/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview what rules would change in history
         * @description For each rule and bucket: how much it would change or drop, and the examples that last longest.
         *
         *     Without `rules`, those in force are tried. Nothing is changed.
         */
        post: operations["preview_redaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/privacy/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply rules to history
         * @description Changes and drops events that are stored already, as the rules would have done when they arrived.
         *
         *     Recording goes on meanwhile. Events that arrive during it are not covered: rules in force see to those. It can be
         *     undone until it is made final.
         */
        post: operations["apply_redaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/privacy/redactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the redactions
         * @description The newest first. One that is `applying` or `undoing` goes on, also after a restart.
         */
        get: operations["list_redactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/privacy/redactions/{redaction_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a redaction
         * @description Every event that it changed or dropped has its id, time and data again, unless somebody has changed it since.
         *
         *     The latest redaction has to be undone first.
         */
        post: operations["undo_redaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/privacy/redactions/{redaction_id}/final": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a redaction final
         * @description The originals are overwritten on disk, in the database, its log and all that was derived from them.
         *
         *     It cannot be undone then. The earliest redaction has to be made final first.
         */
        post: operations["make_redaction_final"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether everything is well
         * @description Always 200 while the server answers: `degraded` means that something needs attention, not that it is down.
         *
         *     Devices and watchers that have stopped, although they are expected to record, are problems of the kind `watcher`.
         *     Sign-ins from a new address are problems of the kind `sign-in` until they are confirmed or the session is revoked;
         *     only callers with the scope `full` see them.
         */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices that recorded
         * @description Devices are told apart by the host name of their buckets.
         *
         *     A computer that was renamed appears twice. `looks_like` names the other one where the same watchers stopped under
         *     one name and went on under another soon after; a new computer in the place of an old one looks the same.
         */
        get: operations["list_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the backups
         * @description Every backup was verified when it was made: unpacked, checked, and compared with the database of that moment.
         *
         *     `last_failure` tells why the last try came to nothing; it is `null` after one that succeeded.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        get: operations["list_backups"];
        put?: never;
        /**
         * Make a backup now and verify it
         * @description Recording goes on meanwhile. The answer comes when the backup is made and verified.
         *
         *     It goes on, too, when the client does not wait for the answer. Old backups are let go of afterwards.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        post: operations["make_backup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/backups/{backup}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a backup again
         * @description It is unpacked, checked, and compared with what its database held. What is found out is remembered.
         *
         *     One that is damaged is a good answer too, with the state `failed`. An encrypted one needs the key of the settings.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        post: operations["verify_backup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look for what is wrong with the data
         * @description For each kind and bucket: how many events and how much time are concerned, examples, and what mending would do.
         *
         *     The kinds are `duplicates` (same start, duration and data), `overlaps` of a second or more, `negative` durations,
         *     `future` events (more than a day ahead), `zero_length` events that the next one makes redundant, and `gaps`: times
         *     without an event in a bucket while others of its host have some. Buckets of browsers, editors and stopwatches have
         *     events only while those are in use: their gaps are reported if `bucket` names one of them. If a bucket or a kind is
         *     missing from the answer, nothing was found there.
         */
        get: operations["get_findings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/doctor/mend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mend one kind of what is wrong with the data
         * @description One kind at a time, in one bucket or in all, in short steps while recording goes on.
         *
         *     With `dry_run` nothing is changed, and the answer says what would be. Otherwise each bucket has an `undo` in the
         *     answer: what was mended there can be undone for as long as the trash keeps it. Overlaps are mended only in buckets
         *     of which one thing is true at a time (windows, tabs, being away). Gaps cannot be mended.
         */
        post: operations["mend_findings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what can be undone
         * @description The newest first. The trash lets go of each at its time `until`; then it cannot be undone any more.
         */
        get: operations["list_trash"];
        put?: never;
        post?: never;
        /**
         * Empty the trash, for good
         * @description What was in it cannot be brought back, and its texts leave the file. Redactions in it become final.
         */
        delete: operations["empty_trash"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/trash/{undo_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove something from the trash, for good
         * @description It cannot be brought back then, and its texts leave the file.
         */
        delete: operations["remove_from_trash"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/trash/{undo_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore something from the trash
         * @description The same as `POST /api/1/undo/{undo_id}`.
         */
        post: operations["restore_from_trash"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/undo/{undo_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo what was done
         * @description Restores ids, times, data and metadata exactly as they were, all or nothing.
         *
         *     The id comes from the header `Undo-Id` or the field `undo` of the call that is to be undone, or from the trash.
         *     Where the same was changed again since, the later change has to be undone first. A bucket that was made again since
         *     it was deleted is merged with the restored one, or with `conflict=refuse` left alone: that is a 409 then.
         */
        post: operations["undo_act"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an import, or ask what it would do
         * @description Takes what `/api/0/import` takes, and answers when it has the whole of it; `GET /api/1/jobs/{id}` tells the rest.
         *
         *     It goes on when the client goes away. With `dry_run=1` nothing is changed: the answer says for every bucket how many
         *     events are new and how many are there already, how many cannot be used or are dropped by privacy rules, whether the
         *     bucket is new, and which of its fields the document has otherwise (those that are stored stay).
         */
        post: operations["start_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs
         * @description Those under way, and the last fifty that are over, the newest first. A restart forgets them.
         */
        get: operations["list_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell how far a job is
         * @description With `wait_s` the answer comes when the job is over, or after so many seconds.
         */
        get: operations["get_job"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description It stops where it is, and `error` says what stays; a job that is over stays as it is.
         *
         *     What an import has stored stays. What a migration or the demo has begun goes to the trash, but for new events in
         *     buckets that were there before or have recorded since: those stay.
         */
        delete: operations["cancel_job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/space": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell what takes room on the disk
         * @description Per bucket and per year, and what belongs to neither. The parts of `database` add up to its `file`.
         *
         *     Measured while recording goes on; an answer may be some seconds old. On PostgreSQL it is an estimate of what the
         *     caller's own data take.
         */
        get: operations["get_space"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the retention rules
         * @description There are none by default: nothing is thinned then.
         */
        get: operations["get_retention"];
        /**
         * Replace the retention rules
         * @description Takes the place of all rules; an empty list turns retention off. Nothing is thinned by this call.
         *
         *     They are applied once a day, and by `POST /api/1/retention/apply`: events older than `days`, of equal data, that
         *     began within one hour (UTC) become one event. It begins with the first of them, has the lowest id, and lasts as long
         *     as all of them together.
         */
        put: operations["set_retention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/retention/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview what retention would do
         * @description For each bucket that a rule fits: events now and after. Nothing is changed.
         */
        post: operations["preview_retention"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/retention/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply the retention rules now
         * @description Thins now, rather than once a day. Each bucket can be undone by its `undo` while the trash keeps it.
         *
         *     Recording goes on meanwhile, and thinning does where the client does not wait for the answer.
         */
        post: operations["apply_retention"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell how far compaction is
         * @description `idle` where none is under way; `last` tells what the last one did.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        get: operations["get_compaction"];
        put?: never;
        /**
         * Give free room back to the system
         * @description Removes distinct values that nobody has any more, cuts free pages off the file and empties its log.
         *
         *     Recording goes on meanwhile, and compaction does where the client does not wait for the answer.
         *
         *     Where several people share a database, it is closed to keys with a `tenant`.
         */
        post: operations["compact_database"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell what is in front of each device
         * @description What was recorded last where a device is not recording: `is_recording` and `last_seen` tell.
         *
         *     The answer does not wait for a category that takes its time to find: it is null then, and `is_settled` false.
         */
        get: operations["get_now"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/buckets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all buckets with how their watchers are
         * @description Whether each one's watcher records, is silent though its device is active, or is quiet.
         *
         *     Silent means: nothing came for three times as long as it is usually quiet, while its device was otherwise active, or
         *     all watchers of a device have stopped that is expected to record. Days begin as the preferences say. Bytes are
         *     measured now and then, by a process of its own.
         */
        get: operations["list_bucket_states"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what happened when, in lanes
         * @description Merged on the server to at most `px` pieces a lane, so that a year draws as fast as an hour.
         *
         *     Where a lane has no more events than that, its pieces are the events themselves, with their ids. Times are in
         *     microseconds, from the start of the range on; what `key` and `cat` mean is in `keys` and `categories`.
         */
        get: operations["get_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hear at once of what changes
         * @description Each message is a StreamMessage, in the form of server-sent events. docs/reference/stream.md says when they come.
         *
         *     The first is `hello`. Where its `resumed` is true, all that came after the last id follows. Where an id was given
         *     and it is false, `reset` follows: what was missed is not known any more, and everything is to be read again.
         *
         *     A key hears of what it may read. One for some buckets hears of those, by `now` and `bucket` alone. In silence there
         *     is a comment every 15 seconds. Whoever reads too slowly is cut off, and can come back with the last id.
         */
        get: operations["get_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the categories and their rules
         * @description All of them, in order, with what Dayline keeps beside the setting `classes`.
         *
         *     The `ETag` is for `If-Match` of a change. A rule that another program has written and that cannot be used stands in
         *     `faults`, and the others stay in force.
         */
        get: operations["get_categories"];
        /**
         * Replace the categories and their rules
         * @description Puts these categories in the place of all that there are: in the setting `classes`, too, for all who read it.
         *
         *     With `If-Match` only where nobody has changed them since: else the answer is 412, and says who and when. A list in
         *     which one rule cannot be used is refused as a whole: also if a new regular expression takes too long for titles of
         *     the last 12 months. Every change is a version: to restore the one before undoes it.
         */
        put: operations["set_categories"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the categories
         * @description Who changed the categories, when and why, whether here or by another program in the setting `classes`.
         */
        get: operations["list_category_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the categories as a version had them
         * @description The categories as they were then.
         */
        get: operations["get_category_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of the categories
         * @description The categories are again as they were then. That is a version of its own: what they were until now stays.
         */
        post: operations["restore_category_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain why something has its category
         * @description Which rule decides, in which field, and what it found there; and the other rules that match, with why they lost.
         *
         *     Ask for an event (`bucket` and `id`), which is explained together with what else was in front; for data that you
         *     give (`data`, and `type` of the bucket); or for what was in front at a moment (`at`, and `device` if there are
         *     several). A key for some buckets gets no patterns, and cannot ask for `data`.
         */
        post: operations["explain_category"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview what changed rules would move
         * @description What a changed rule set, sent as a whole, would move in a range: seconds by category, samples and warnings.
         *
         *     Nothing is changed. A rule that cannot be used is refused with its place, as when it is saved. One that takes too
         *     long is skipped, with a warning.
         */
        post: operations["preview_categories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest categories for time that has none
         * @description The largest groups of time without a category: by app, by domain, by a word of the title.
         *
         *     Each has a condition that would match it and a name for a category. Those that somebody ignores are left out.
         */
        get: operations["suggest_categories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/suggestions/ignore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ignore a suggestion, or do so no more
         * @description Leaves a suggestion out from now on, by its id; or makes it again, with `is_ignored` false.
         */
        post: operations["ignore_suggestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/starters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories to begin with
         * @description Sets of categories to begin with. Import one, or take from it what you like.
         */
        get: operations["list_starters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the categories
         * @description All categories with all that Dayline knows about them, as a document that can be imported here or elsewhere.
         */
        get: operations["export_categories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/categories/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import categories
         * @description Takes a document of this call's kind, the list that the setting `classes` has, or `{"categories": [...]}`.
         *
         *     `merge`, which it does by itself, adds those that are not there and puts those of the same path in their place;
         *     `replace` leaves nothing but what is imported. With `dry_run` it tells what it would do, and does nothing.
         */
        post: operations["import_categories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pages of your own
         * @description The names that the settings give to folders; each is served at `/pages/<name>/`.
         */
        get: operations["list_pages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Alias
         * @description Another id of a bucket.
         */
        Alias: {
            id: string;
            /** @description the bucket's own id */
            bucket: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            made: string;
        };
        /**
         * AliasRemoved
         * @description The undo number of a deleted alias.
         */
        AliasRemoved: {
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            undo: number;
        };
        /**
         * AnnotationChange
         * @description The fields to change. `null` clears the device or the category.
         */
        AnnotationChange: {
            /**
             * @description `label` only names the span; `category` assigns its time to the category, whatever the rules say; `exclude` leaves it out; `entry` is time that no watcher recorded
             * @enum {unknown}
             */
            kind?: "category" | "entry" | "exclude" | "label";
            /**
             * Format: date-time
             * @description start
             * @example 2026-02-03T08:15:31.250Z
             */
            start?: string;
            /**
             * Format: date-time
             * @description end, exclusive
             * @example 2026-02-03T08:15:31.250Z
             */
            end?: string;
            device?: string | null;
            /** @example Stand-up */
            label?: string;
            category?: string[] | null;
            /** @description free text */
            note?: string;
            is_on?: boolean;
        };
        /**
         * AnnotationPage
         * @description A page of annotations, latest start first. `cursor` leads to earlier ones; null if there are none.
         */
        AnnotationPage: {
            annotations: components["schemas"]["AnnotationView"][];
            cursor: string | null;
        };
        /**
         * AnnotationView
         * @description An annotation as clients see it. A disabled one stays, without effect.
         */
        AnnotationView: {
            id: number;
            /**
             * @description `label` only names the span; `category` assigns its time to the category, whatever the rules say; `exclude` leaves it out; `entry` is time that no watcher recorded
             * @enum {unknown}
             */
            kind: "category" | "entry" | "exclude" | "label";
            /**
             * Format: date-time
             * @description start
             * @example 2026-02-03T08:15:31.250Z
             */
            start: string;
            /**
             * Format: date-time
             * @description end, exclusive
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            device: string | null;
            label: string;
            category: string[] | null;
            note: string;
            is_on: boolean;
        };
        /**
         * AuditLine
         * @description Calls of one kind, counted together: for a day, refusals for an hour; what destroys something stands alone.
         *
         *         `who` is `open` where no key is asked for, `nobody` where none was shown, else how they came in, with the key's id.
         */
        AuditLine: {
            number: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            first: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            last: string;
            count: number;
            who: string;
            key_id: string;
            key_name: string;
            address: string;
            call: string;
            bucket: string;
            status: number;
        };
        /**
         * AuditPage
         * @description Lines of the audit log, the one with the latest `last` first; `cursor` asks for the next ones, `null` at the end.
         *
         *         There may be more lines than `limit`, if several of them ended at the same time.
         */
        AuditPage: {
            lines: components["schemas"]["AuditLine"][];
            cursor: number | null;
        };
        /**
         * BackgroundWork
         * @description Work that the server does in the background. `failing`: the last run failed, and it is retried.
         *
         *         `last_run` is when it last began; `next_run` is null while it runs and if it waits to be needed. `failures` counts
         *         the failed runs in a row, and `last_error` is the cause of the last one.
         */
        BackgroundWork: {
            name: string;
            /** @enum {unknown} */
            state: "failing" | "running" | "waiting";
            last_run: string | null;
            next_run: string | null;
            last_error: string | null;
            failures: number;
        };
        /**
         * BackupFailureView
         * @description The last try, where it came to nothing.
         */
        BackupFailureView: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            when: string;
            message: string;
        };
        /**
         * BackupList
         * @description The backups, the newest first, and the folder they are in.
         */
        BackupList: {
            folder: string;
            backups: components["schemas"]["BackupView"][];
            last_failure: components["schemas"]["BackupFailureView"] | null;
        };
        /**
         * BackupView
         * @description A backup. One that `failed` was good once and is damaged now; `problem` says how that shows.
         *
         *         What an encrypted one holds is null where the server does not know its key.
         */
        BackupView: {
            name: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            made: string;
            /** @enum {unknown} */
            state: "failed" | "verified";
            bytes: number;
            encrypted: boolean;
            buckets: number | null;
            events: number | null;
            schema: number | null;
            problem: string | null;
        };
        /**
         * Breaks
         * @description Gaps of more than a minute between the first and the last time of a day.
         */
        Breaks: {
            count: number;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
        };
        /**
         * BucketChange
         * @description A request to update a bucket: only the fields to change.
         */
        BucketChange: {
            type?: string;
            client?: string;
            hostname?: string;
            data?: Record<string, never>;
        };
        /**
         * BucketEffect
         * @description The effect of a rule in one bucket: the number of distinct data objects, of events, and their total duration.
         */
        BucketEffect: {
            bucket: string;
            values: number;
            events: number;
            seconds: number;
        };
        /**
         * BucketRange
         * @description From the first event's start to the last event's end.
         */
        BucketRange: {
            start: string | null;
            end: string | null;
        };
        /**
         * BucketRead
         * @description Where the events of one read of a bucket came from.
         */
        BucketRead: {
            bucket: string;
            segments: number;
            segment_events: number;
            row_events: number;
        };
        /**
         * BucketSpace
         * @description Disk space of one bucket: its events with their share of the indexes, and its distinct values.
         */
        BucketSpace: {
            id: string;
            /** @description number of events */
            events: number;
            /** @description number of distinct values */
            values: number;
            /** @description bytes */
            event_bytes: number;
            /** @description bytes */
            value_bytes: number;
            /** @description total */
            bytes: number;
        };
        /**
         * BucketState
         * @description A bucket, how much there is in it, and how its watcher is.
         */
        BucketState: {
            id: string;
            /** @description its host name */
            device: string;
            type: string;
            client: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            /** @description whether what it holds is invented: `DELETE /api/1/demo` removes it */
            is_demo: boolean;
            /** @description where its first event begins; null where it has none */
            first: string | null;
            /** @description the largest end of an event */
            last: string | null;
            events: number;
            /** @description disk space when last measured; null: not yet */
            bytes: number | null;
            /** @description other ids under which it is found */
            aliases: string[];
            /** @description how many events began on each of the last 30 days, today last */
            spark: number[];
            /**
             * @description silent: it records nothing, although its device is in use or is expected to be; quiet: nothing is expected of it
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
            /** @description when it had something last, where it is silent */
            silent_since: string | null;
            /** @description usual longest silence in seconds; null if it is unknown */
            usual_interval: number | null;
        };
        /**
         * BucketStates
         * @description All buckets in order of creation. `this_device` is the host name of the computer that the server runs on.
         */
        BucketStates: {
            this_device: string;
            /** @description of all buckets together */
            events: number;
            /** @description of all buckets together; null where it was not measured yet */
            bytes: number | null;
            buckets: components["schemas"]["BucketState"][];
            /** @description the one that recorded last first */
            devices: components["schemas"]["DeviceState"][];
        };
        /**
         * BucketView
         * @description A bucket as clients see it. `last_updated` is the end of its newest event; events are in exports only.
         */
        BucketView: {
            id: string;
            type: string;
            client: string;
            hostname: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            data: Record<string, never>;
            metadata: components["schemas"]["BucketRange"];
            last_updated: string | null;
            /** @enum {unknown} */
            events: null;
        };
        /**
         * Categories
         * @description All categories, in order. `version` is null if none were set; `faults` are invalid rules.
         */
        Categories: {
            version: components["schemas"]["CategoryVersion"] | null;
            categories: components["schemas"]["StatedCategory"][];
            faults: components["schemas"]["CategoryFault"][];
        };
        /**
         * CategoriesChange
         * @description All categories, in order: they take the place of those that there are.
         */
        CategoriesChange: {
            categories: components["schemas"]["NewCategory"][];
            /**
             * @description why, for the history
             * @default
             */
            comment: string;
        };
        /**
         * CategoryDocument
         * @description A rule set with everything that belongs to it.
         */
        CategoryDocument: {
            /** @enum {unknown} */
            kind: "dayline.categories";
            /** @enum {unknown} */
            version: 1;
            categories: components["schemas"]["StatedCategory"][];
        };
        /**
         * CategoryFault
         * @description Something that cannot be used; the other rules stay in force. `category` is its place in the list, from 0.
         */
        CategoryFault: {
            category: number;
            name: string[];
            /** @description which of its conditions, from 0; null: its classic rule */
            condition: number | null;
            message: string;
            /** @description the character of the pattern that is wrong, from 0 */
            position: number | null;
        };
        /**
         * CategoryImport
         * @description What an import has done, or with `dry_run` would do. `version` is the one that it made.
         */
        CategoryImport: {
            categories: components["schemas"]["ImportedCategory"][];
            is_dry_run: boolean;
            version: components["schemas"]["CategoryVersion"] | null;
        };
        /**
         * CategoryVersion
         * @description One version of all categories: who made it, when and why.
         */
        CategoryVersion: {
            number: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            changed: string;
            author: string;
            comment: string;
        };
        /**
         * CategoryVersions
         * @description Versions, the latest first; `cursor` asks for the next ones, `null` at the end.
         */
        CategoryVersions: {
            versions: components["schemas"]["CategoryVersion"][];
            cursor: number | null;
        };
        /**
         * ChangedAnnotation
         * @description An annotation after a change, and its undo number; null if nothing changed.
         */
        ChangedAnnotation: {
            id: number;
            /**
             * @description `label` only names the span; `category` assigns its time to the category, whatever the rules say; `exclude` leaves it out; `entry` is time that no watcher recorded
             * @enum {unknown}
             */
            kind: "category" | "entry" | "exclude" | "label";
            /**
             * Format: date-time
             * @description start
             * @example 2026-02-03T08:15:31.250Z
             */
            start: string;
            /**
             * Format: date-time
             * @description end, exclusive
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            device: string | null;
            label: string;
            category: string[] | null;
            note: string;
            is_on: boolean;
            undo: number | null;
        };
        /**
         * ChangedCategories
         * @description All categories after a change. To restore the version `previous` undoes it.
         */
        ChangedCategories: {
            version: components["schemas"]["CategoryVersion"] | null;
            categories: components["schemas"]["StatedCategory"][];
            faults: components["schemas"]["CategoryFault"][];
            /** @description the version before; null where there was none */
            previous: number | null;
        };
        /**
         * ChangedEvent
         * @description The event after the change. `undo` is null if nothing changed.
         */
        ChangedEvent: {
            event: components["schemas"]["EventDetail"];
            undo: number | null;
        };
        /**
         * Compacted
         * @description Result of a compaction.
         */
        Compacted: {
            /** @description unused distinct values that were deleted */
            values: number;
            /** @description bytes of the database file before */
            before: number;
            /** @description bytes of the database file after */
            after: number;
            seconds: number;
        };
        /**
         * Compaction
         * @description Progress of compaction: it deletes unused `values`, then frees empty `pages`, then empties the `log`.
         */
        Compaction: {
            /** @enum {unknown} */
            state: "idle" | "log" | "pages" | "values";
            done: number;
            /** @description number of values or pages in total; 0 if it is unknown */
            of: number;
            /** @description result of the last compaction since the server started */
            last: components["schemas"]["Compacted"] | null;
        };
        /**
         * Compared
         * @description What the range is compared with. With `typical`, times are medians and `range` is the latest of the periods.
         */
        Compared: {
            range: components["schemas"]["RangeAnswer"];
            /** @description the whole earlier period, where the range is not over: only its elapsed part counts */
            whole?: components["schemas"]["RangeAnswer"];
            totals: components["schemas"]["Totals"];
            /** @description the keys with the most time of the earlier range */
            lists: {
                [key: string]: components["schemas"]["Row"][];
            };
            /** @description with `typical`: how many earlier periods it is the median of */
            periods?: number;
            /** @description the same as `periods` */
            days?: number;
        };
        /**
         * Condition
         * @description A condition on one field of an event.
         */
        Condition: {
            /**
             * @description `app`, `title`, `url`, `domain`, `path`, `project`, any other key of the data, or `any`
             * @example domain
             */
            field: string;
            /**
             * @description how the text is compared: equal, contained, as a word, at the start or end, or by pattern
             * @enum {unknown}
             */
            op: "ends" | "has" | "is" | "regex" | "starts" | "word";
            /** @example docs.python.org */
            value: string;
            /** @default true */
            ignore_case: boolean;
        };
        /**
         * CopiedSettings
         * @description Keys that were set, had that value already, have another and keep it, or were refused (with the reason).
         */
        CopiedSettings: {
            copied: string[];
            same: string[];
            kept: string[];
            refused: {
                [key: string]: string;
            };
        };
        /**
         * DataFilter
         * @description A field of the data that equals a text, or contains it, ignoring case.
         */
        DataFilter: {
            /** @example title */
            field: string;
            /**
             * @default is
             * @enum {unknown}
             */
            op: "has" | "is";
            value: string;
        };
        /**
         * DeletedEvents
         * @description The deleted events, or with `dry_run` those that would be. `samples` are the longest of them.
         *
         *         `skipped` counts events that were changed by another client during the deletion, and were kept. `undo` restores all
         *         of
         *         them; it is null if there were none.
         */
        DeletedEvents: {
            bucket: string;
            dry_run: boolean;
            events: number;
            /** @description seconds, with microsecond precision */
            seconds: number;
            samples: components["schemas"]["EventView"][];
            skipped: number;
            undo: number | null;
        };
        /**
         * Deletion
         * @description Whether there was something to delete.
         */
        Deletion: {
            success: boolean;
        };
        /**
         * DemoRemoved
         * @description What was removed. `undo` has the one number that brings everything back; it is empty if there was no demo.
         */
        DemoRemoved: {
            buckets: components["schemas"]["RemovedDemoBucket"][];
            undo: number[];
            /** @description whether the categories were the demo's, unchanged */
            has_removed_categories: boolean;
        };
        /**
         * DemoRequest
         * @description How many days up to now, in whose time zone: without one, that of the preferences, else of the server.
         */
        DemoRequest: {
            /** @default 30 */
            days: number;
            /** @default null */
            time_zone: string | null;
        };
        /**
         * DemoState
         * @description Whether there is invented activity to look around with.
         */
        DemoState: {
            present: boolean;
            events: number;
        };
        /**
         * DeviceNow
         * @description What a device shows, or showed when it last recorded something. What is not known is null.
         */
        DeviceNow: {
            /** @description its host name */
            device: string;
            app: string | null;
            title: string | null;
            /** @description of the tab, where a browser is in front */
            url: string | null;
            /** @description null where no window is known, or while it is found out */
            category: string[] | null;
            /** @description since when this app is in front without a break */
            since: string | null;
            /** @description whether the user is AFK; false if its watchers have stopped */
            away: boolean;
            away_since: string | null;
            /** @description when any of its buckets had something last */
            last_seen: string | null;
            /** @description whether that is a moment ago */
            is_recording: boolean;
            /**
             * @description silent: all its watchers have stopped, although it is expected to record
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
        };
        /**
         * DeviceState
         * @description Whether a device records.
         */
        DeviceState: {
            /** @description its host name */
            device: string;
            /**
             * @description silent: all its watchers have stopped, although it is expected to record; quiet: nothing is expected of it at present
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
            /** @description when any of its watchers recorded something last */
            last: string | null;
        };
        /**
         * DeviceTime
         * @description The active time of one device.
         */
        DeviceTime: {
            device: string;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
        };
        /**
         * DeviceView
         * @description All that was recorded under one host name. `first_seen` and `last_seen` are null where there are no events.
         */
        DeviceView: {
            hostname: string;
            buckets: string[];
            first_seen: string | null;
            last_seen: string | null;
            events: number;
            looks_like: components["schemas"]["LikelyName"][];
        };
        /**
         * DownsampledBucket
         * @description A downsampled bucket: how many fewer events it has, and its undo number; null if nothing changed.
         */
        DownsampledBucket: {
            bucket: string;
            days: number;
            removed: number;
            undo: number | null;
        };
        /**
         * DownsamplingPreview
         * @description What downsampling would do to a bucket. `bytes` is about what is freed once the undo entry has expired.
         */
        DownsamplingPreview: {
            bucket: string;
            days: number;
            /** @description events now */
            events: number;
            /** @description events afterwards */
            after: number;
            bytes: number;
        };
        /**
         * Emptied
         * @description The number of deleted undo entries.
         */
        Emptied: {
            items: number;
        };
        /**
         * ErrorBody
         * @description The body of every response except 2xx and 304. A query error has a position, which `excerpt` shows.
         *
         *         If a change was refused because the resource was changed since it was read, `current` is its current state.
         */
        ErrorBody: {
            message: string;
            type: string;
            request_id: string;
            hint?: string;
            field?: string;
            line?: number;
            column?: number;
            expected?: string[];
            excerpt?: string;
            current?: Record<string, never>;
        };
        /**
         * EventBody
         * @description An event to insert; with an `id` it replaces the event with that id.
         */
        EventBody: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * @description seconds, with microsecond precision
             * @default 0
             */
            duration: number;
            /** @default {} */
            data: Record<string, never>;
            /** @default null */
            id: number | null;
        };
        /**
         * EventDetail
         * @description An event with its whole duration, and its source.
         *
         *         `is_last`: it is the bucket's last event, which the next heartbeat may extend.
         */
        EventDetail: {
            id: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            data: Record<string, never>;
            bucket: string;
            /** @description the host name of the bucket */
            device: string;
            /** @description the type of the bucket */
            type: string;
            is_last: boolean;
        };
        /**
         * EventInContext
         * @description An event, and with `include` what there is about it besides.
         */
        EventInContext: {
            id: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            data: Record<string, never>;
            bucket: string;
            /** @description the host name of the bucket */
            device: string;
            /** @description the type of the bucket */
            type: string;
            is_last: boolean;
            /** @description by the rules alone; null where events of its kind have none */
            category?: string[] | null;
            /** @description the annotations that lie over it */
            notes?: components["schemas"]["AnnotationView"][];
        };
        /**
         * EventPage
         * @description A page of events. `cursor` leads to the next page; null if there are no more.
         */
        EventPage: {
            events: components["schemas"]["ListedEvent"][];
            cursor: string | null;
        };
        /**
         * EventPatch
         * @description Changes of an event; omitted fields stay. `data` replaces all data.
         *
         *         With `timestamp` alone the event moves and keeps its duration; `end` or `duration` changes it.
         */
        EventPatch: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp?: string;
            /** @description seconds */
            duration?: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            end?: string;
            data?: Record<string, never>;
        };
        /**
         * EventSelector
         * @description The events to delete: those that match all given conditions. With `dry_run` nothing is deleted.
         *
         *         `start` and `end` are a half-open range. `edge` decides which events are in it: those that start there, or those
         *         that
         *         overlap it. In either case whole events are deleted.
         */
        EventSelector: {
            bucket: string;
            /** @default null */
            start: string | null;
            /** @default null */
            end: string | null;
            /**
             * @default begin
             * @enum {unknown}
             */
            edge: "begin" | "touch";
            /** @default null */
            ids: number[] | null;
            /** @default [] */
            data: components["schemas"]["DataFilter"][];
            /** @default false */
            dry_run: boolean;
        };
        /**
         * EventView
         * @description An event as clients see it: exactly these keys, because an additional one breaks the Python client.
         */
        EventView: {
            /** @description null for an event dropped by a privacy rule */
            id: number | null;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            data: Record<string, never>;
        };
        /**
         * Example
         * @description An event, or a gap.
         */
        Example: {
            /** @description its id; null for a gap */
            event: number | null;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            start: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            seconds: number;
            /** @description the first part of its data, as JSON text */
            data: string;
            /** @description its duration in seconds after the fix; null if it is deleted */
            becomes: number | null;
        };
        /**
         * ExplainRequest
         * @description What is to be explained: an event (`bucket` and `id`), data (`data` and `type`), or what was in front at a
         *         moment (`at`, and `device` where there are several).
         */
        ExplainRequest: {
            /** @default null */
            bucket: string | null;
            /** @default null */
            id: number | null;
            /** @default null */
            data: Record<string, never> | null;
            /**
             * @description the type of the bucket that such data are in
             * @default currentwindow
             */
            type: string;
            /** @default null */
            at: string | null;
            /** @default null */
            device: string | null;
        };
        /**
         * Explanation
         * @description The category of something, the rule that decided it, and the others that match, the next best first.
         */
        Explanation: {
            category: string[];
            /** @description null where no rule matches, or an annotation says it */
            winner: components["schemas"]["RuleMatch"] | null;
            others: components["schemas"]["RuleMatch"][];
            /** @description the annotation that gives it the category */
            annotation: number | null;
            /** @description false if there was no active window at the requested time */
            is_active: boolean;
            /** @description what the rules have looked at */
            data: {
                [key: string]: Record<string, never>;
            };
        };
        /**
         * Export
         * @description Buckets by their id, each with its events.
         */
        Export: {
            buckets: {
                [key: string]: components["schemas"]["ExportedBucket"];
            };
        };
        /**
         * ExportedBucket
         * @description A bucket with all its events, newest first.
         */
        ExportedBucket: {
            id: string;
            type: string;
            client: string;
            hostname: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            data: Record<string, never>;
            metadata: components["schemas"]["BucketRange"];
            last_updated: string | null;
            events: components["schemas"]["ExportedEvent"][];
        };
        /**
         * ExportedEvent
         * @description An event without its id, which means nothing on another server.
         */
        ExportedEvent: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            data: Record<string, never>;
        };
        /**
         * Facet
         * @description How much of all hits is of one device, say.
         */
        Facet: {
            key: string;
            seconds: number;
            count: number;
        };
        /**
         * Facets
         * @description All hits by where they come from, those with the most time first.
         */
        Facets: {
            device: components["schemas"]["Facet"][];
            type: components["schemas"]["Facet"][];
            bucket: components["schemas"]["Facet"][];
        };
        /**
         * FileParts
         * @description The parts of the database, which add up to `file`.
         *
         *         `unused` are values that nothing uses, and `free` are empty pages: compaction reclaims both.
         */
        FileParts: {
            /** @description bytes */
            events: number;
            /** @description bytes */
            values: number;
            /** @description deleted buckets, events in the undo log, and values used only by them */
            trash: number;
            /** @description what undoing redactions requires */
            redactions: number;
            /** @description bytes */
            audit: number;
            /** @description bytes */
            unused: number;
            /** @description bytes */
            free: number;
            /** @description keys, settings, months, the schema, and overhead of the file */
            other: number;
        };
        /**
         * FileSpace
         * @description The database. If `is_exact` is false, as on PostgreSQL, the parts are estimated from rows.
         */
        FileSpace: {
            is_exact: boolean;
            /** @description bytes of the database including everything committed */
            file: number;
            parts: components["schemas"]["FileParts"];
            /** @description largest first, without deleted ones */
            buckets: components["schemas"]["BucketSpace"][];
            years: components["schemas"]["YearSpace"][];
        };
        /**
         * Finding
         * @description One kind of problem in one bucket.
         */
        Finding: {
            /** @enum {unknown} */
            kind: "duplicates" | "future" | "gaps" | "negative" | "overlaps" | "zero_length";
            bucket: string;
            /** @description number of affected events; for gaps, the number of gaps */
            count: number;
            /** @description affected time; for overlaps, the time counted twice */
            seconds: number;
            /** @description the first ones; for gaps, the longest */
            examples: components["schemas"]["Example"][];
            is_mendable: boolean;
            /** @description what the fix does, as text; empty if there is no fix */
            mend: string;
        };
        /**
         * Findings
         * @description What was checked, and what was found. Hosts are checked if all buckets are.
         */
        Findings: {
            buckets: number;
            events: number;
            findings: components["schemas"]["Finding"][];
            renamed_hosts: components["schemas"]["RenamedHost"][];
        };
        /**
         * Focus
         * @description The longest stretch in one category.
         */
        Focus: {
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            end: string;
            category: string[];
        };
        /**
         * Goal
         * @description A goal. Its id never changes and is not reused.
         */
        Goal: {
            /** @example 1 */
            id: number;
            /** @example Deep work */
            name: string;
            /**
             * @description `at_least` is a target, `at_most` a limit
             * @enum {unknown}
             */
            kind: "at_least" | "at_most";
            /**
             * @description seconds of active time
             * @example 14400
             */
            seconds: number;
            /**
             * @description the period in which time is counted
             * @enum {unknown}
             */
            per: "day" | "month" | "week";
            /**
             * @description what counts: all active time, a category with its subcategories, an app, or a domain
             * @enum {unknown}
             */
            by: "all" | "app" | "category" | "domain";
            category: string[] | null;
            value: string | null;
            /** @description only time on these days counts; default: all days */
            weekdays: ("friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday")[];
            /**
             * @description `inside`: only time within work hours counts; `outside`: only overtime
             * @enum {unknown}
             */
            hours: "any" | "inside" | "outside";
            is_on: boolean;
        };
        /**
         * GoalChange
         * @description The fields to change.
         */
        GoalChange: {
            /** @example Deep work */
            name?: string;
            /**
             * @description `at_least` is a target, `at_most` a limit
             * @enum {unknown}
             */
            kind?: "at_least" | "at_most";
            /**
             * @description seconds of active time
             * @example 14400
             */
            seconds?: number;
            /**
             * @description the period in which time is counted
             * @enum {unknown}
             */
            per?: "day" | "month" | "week";
            /**
             * @description what counts: all active time, a category with its subcategories, an app, or a domain
             * @enum {unknown}
             */
            by?: "all" | "app" | "category" | "domain";
            category?: string[] | null;
            value?: string | null;
            /** @description only time on these days counts; default: all days */
            weekdays?: ("friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday")[];
            /**
             * @description `inside`: only time within work hours counts; `outside`: only overtime
             * @enum {unknown}
             */
            hours?: "any" | "inside" | "outside";
            is_on?: boolean;
        };
        /**
         * GoalPeriodAnswer
         * @description An earlier period of a goal.
         */
        GoalPeriodAnswer: {
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            end: string;
            /** @description seconds of active time */
            seconds: number;
            is_met: boolean;
        };
        /**
         * GoalProgress
         * @description Progress of a goal in the period from `start` to before `end`.
         */
        GoalProgress: {
            id: number;
            name: string;
            /**
             * @description `at_least` is a target, `at_most` a limit
             * @enum {unknown}
             */
            kind: "at_least" | "at_most";
            /**
             * @description the period in which time is counted
             * @enum {unknown}
             */
            per: "day" | "month" | "week";
            /**
             * @description what counts: all active time, a category with its subcategories, an app, or a domain
             * @enum {unknown}
             */
            by: "all" | "app" | "category" | "domain";
            category: string[] | null;
            value: string | null;
            /**
             * @description `inside`: only time within work hours counts; `outside`: only overtime
             * @enum {unknown}
             */
            hours: "any" | "inside" | "outside";
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            end: string;
            /** @description seconds of active time */
            seconds: number;
            /** @description seconds of active time */
            target: number;
            /** @description seconds by target: above 1 where it is more */
            share: number;
            /**
             * @description of a target: `reached`, `on_track` or `behind`; of a limit: `within` or `exceeded`; `off` on a day that the goal is not for
             * @enum {unknown}
             */
            state: "behind" | "exceeded" | "off" | "on_track" | "reached" | "within";
            /** @description how much of the period is gone, by when time is usually spent; null where it is over, or off */
            pace: number | null;
            /** @description periods in a row in which it was met, up to now */
            streak: number;
            /** @description up to seven periods before, the earliest first */
            recent: components["schemas"]["GoalPeriodAnswer"][];
        };
        /**
         * GoalsAnswer
         * @description The goals that are switched on, in their order. `work` is null where no hours of work are set.
         */
        GoalsAnswer: {
            range: components["schemas"]["RangeAnswer"];
            goals: components["schemas"]["GoalProgress"][];
            work: components["schemas"]["WorkAnswer"] | null;
        };
        /**
         * HealthView
         * @description `ok`: no problems. `degraded`: it serves and records, but something needs attention.
         *
         *         `background` lists the background work of the server.
         */
        HealthView: {
            /** @enum {unknown} */
            status: "degraded" | "ok";
            problems: components["schemas"]["Problem"][];
            background: components["schemas"]["BackgroundWork"][];
        };
        /**
         * HeartbeatBody
         * @description A heartbeat request. `id` is ignored: a heartbeat never names the event it extends.
         */
        HeartbeatBody: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * @description seconds, with microsecond precision
             * @default 0
             */
            duration: number;
            /** @default {} */
            data: Record<string, never>;
        };
        /**
         * Highlight
         * @description Where in one string of the data something was found.
         */
        Highlight: {
            /**
             * @description the keys, and numbers in lists, that lead to the string
             * @example [
             *       "title"
             *     ]
             */
            path: (string | number)[];
            /** @description the first character of each piece, and the one after its last; Unicode characters, not UTF-16 */
            ranges: number[][];
        };
        /**
         * Histogram
         * @description All hits over time. There is one edge more than there are bins.
         */
        Histogram: {
            /** @enum {unknown} */
            bin: "5m" | "day" | "hour" | "month" | "week" | "weekhour";
            edges: string[];
            seconds: number[];
            /** @description how many events begin in each bin, or before the first */
            count: number[];
        };
        /**
         * HitEvent
         * @description The latest event of a hit, to go to.
         */
        HitEvent: {
            id: number;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            timestamp: string;
            duration: number;
        };
        /**
         * IgnoredSuggestion
         * @description A suggestion that is not to be made again, or is again.
         */
        IgnoredSuggestion: {
            /** @description as the suggestions have it */
            id: string;
            /** @default true */
            is_ignored: boolean;
        };
        /**
         * IgnoredSuggestions
         * @description The suggestions that are not made any more, by their ids.
         */
        IgnoredSuggestions: {
            ignored: string[];
        };
        /**
         * Import
         * @description What an export of this or of another server holds. Other fields are ignored.
         */
        Import: {
            buckets: {
                [key: string]: components["schemas"]["ImportedBucket"];
            };
        };
        /**
         * ImportReport
         * @description Result of an import: buckets read, events stored, skipped as duplicates, and left out as invalid.
         *
         *         `dropped` counts the events dropped by privacy rules; unset if there are none.
         */
        ImportReport: {
            buckets: number;
            imported: number;
            skipped: number;
            invalid: number;
            dropped?: number;
        };
        /**
         * ImportSurvey
         * @description What an import would do: events that are new, already stored, invalid, or dropped by privacy rules.
         */
        ImportSurvey: {
            buckets: components["schemas"]["SurveyedBucket"][];
        };
        /**
         * ImportedBucket
         * @description A bucket of any server of this kind. Without an `id` it gets the name that it has in the document.
         */
        ImportedBucket: {
            type: string;
            client: string;
            hostname: string;
            /** @default null */
            id: string | null;
            /** @default null */
            created: string | null;
            /** @default null */
            data: Record<string, never> | null;
            /** @default null */
            events: components["schemas"]["HeartbeatBody"][] | null;
        };
        /**
         * ImportedCategory
         * @description What an import makes of a category.
         */
        ImportedCategory: {
            name: string[];
            /** @enum {unknown} */
            outcome: "added" | "changed" | "removed" | "same";
        };
        /**
         * Info
         * @description What clients ask first, to see whether the server is there.
         */
        Info: {
            hostname: string;
            version: string;
            testing: boolean;
            device_id: string;
        };
        /**
         * JobFault
         * @description Why it did not come to its end, as the answer to a call would have said it.
         */
        JobFault: {
            message: string;
            type: string;
            hint: string | null;
        };
        /**
         * JobList
         * @description Every job that is known, the newest first.
         */
        JobList: {
            jobs: components["schemas"]["JobView"][];
        };
        /**
         * JobProgress
         * @description How far it is; `total` is null until it is known.
         */
        JobProgress: {
            done: number;
            total: number | null;
        };
        /**
         * JobResult
         * @description What it did, as an import tells it; of a migration, the proof besides that everything is here as it is there.
         */
        JobResult: {
            buckets: number;
            imported: number;
            skipped: number;
            invalid: number;
            dropped?: number;
            proof?: components["schemas"]["MigrationProof"];
        };
        /**
         * JobView
         * @description A job as it is now. `result` is there when it is done, `error` when it failed or was cancelled.
         */
        JobView: {
            id: string;
            /** @enum {unknown} */
            kind: "demo" | "import" | "migration";
            /** @enum {unknown} */
            state: "cancelled" | "done" | "failed" | "running";
            progress: components["schemas"]["JobProgress"];
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            started: string;
            finished: string | null;
            result: components["schemas"]["JobResult"] | null;
            error: components["schemas"]["JobFault"] | null;
        };
        /**
         * KeptReport
         * @description A saved report: its name and its parameters.
         */
        KeptReport: {
            name: string;
            parameters: {
                [key: string]: string | string[];
            };
        };
        /**
         * KeyRotation
         * @description How long the old key still opens the door, so that whoever uses it can be given the new one.
         */
        KeyRotation: {
            /** @default 0 */
            grace_s: number;
        };
        /**
         * KeyView
         * @description What is known of a key. `is_active` says whether it opens anything now.
         *
         *         `tenant` is there where it opens the data of somebody by name.
         */
        KeyView: {
            /** @example k3f5a2bq */
            id: string;
            name: string;
            /** @enum {unknown} */
            scope: "append" | "full" | "read";
            buckets: string[];
            envelope: boolean;
            is_active: boolean;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            expires: string | null;
            revoked: string | null;
            last_used: string | null;
            last_address: string | null;
            tenant?: string;
        };
        /**
         * KnownWatcher
         * @description A program that records. `seen`: something that it recorded is here, maybe imported.
         */
        KnownWatcher: {
            client: string;
            /** @description what it records */
            what: string;
            seen: boolean;
            /** @description when it recorded last */
            last: string | null;
            /**
             * @description recording if it records on any device, else silent if it should on one, else quiet
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
            /** @description where to read how it is installed */
            install: string;
        };
        /**
         * LaneAnswer
         * @description The pieces of one bucket or device, by start. All columns have one entry a piece.
         *
         *         The first piece begins `gap[0]` after the start of the range, every other one `gap[i]` after the end of the one
         *         before it, which is below 0 where they overlap.
         */
        LaneAnswer: {
            /** @description the bucket's id; null where the lane is of a device */
            bucket: string | null;
            /** @description its host name */
            device: string;
            /**
             * @description the bucket's type
             * @example currentwindow
             */
            type: string;
            /** @description how many events there are in the range */
            events: number;
            /** @description whether each piece is one event, as it is stored, cut to the range */
            is_exact: boolean;
            /** @description µs from the end of the piece before */
            gap: number[];
            /** @description µs that the piece lasts */
            dur: number[];
            /** @description what it shows, as a place in `keys`: that with most time; -1: nothing */
            key: number[];
            /** @description the share of `key` in the time of the piece's events */
            share: number[];
            /** @description the category with most time, as a place in `categories`; -1: it has none */
            cat: number[];
            /** @description how many events are merged in it */
            n: number[];
            /** @description the share of the piece in which there is an event */
            cover: number[];
            /** @description the event's id where it is a single one, else null */
            id: (number | null)[];
        };
        /**
         * LeftOut
         * @description Entries that are shorter than the least, and count nowhere.
         */
        LeftOut: {
            entries: number;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
        };
        /**
         * LikelyName
         * @description Another host name that this device seems to have had before, or to have now. `reason` says in words why.
         */
        LikelyName: {
            hostname: string;
            is_newer: boolean;
            reason: string;
        };
        /**
         * ListedEvent
         * @description An event with its whole duration.
         */
        ListedEvent: {
            id: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            data: Record<string, never>;
        };
        /**
         * LogRecord
         * @description One line of the log.
         */
        LogRecord: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            level: string;
            logger: string;
            message: string;
        };
        /**
         * MadeKey
         * @description A new key with its text, which is told here and never again.
         */
        MadeKey: {
            /** @example k3f5a2bq */
            id: string;
            name: string;
            /** @enum {unknown} */
            scope: "append" | "full" | "read";
            buckets: string[];
            envelope: boolean;
            is_active: boolean;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            expires: string | null;
            revoked: string | null;
            last_used: string | null;
            last_address: string | null;
            tenant?: string;
            key: string;
        };
        /**
         * MendRequest
         * @description What to fix, and where.
         */
        MendRequest: {
            /** @enum {unknown} */
            kind: "duplicates" | "future" | "negative" | "overlaps" | "zero_length";
            /**
             * @description the bucket's id; without it, every bucket is fixed
             * @default null
             */
            bucket: string | null;
            /**
             * @description preview without changing anything
             * @default false
             */
            dry_run: boolean;
        };
        /**
         * Mended
         * @description What was done, or would be, by bucket.
         */
        Mended: {
            /** @enum {unknown} */
            kind: "duplicates" | "future" | "negative" | "overlaps" | "zero_length";
            dry_run: boolean;
            removed: number;
            changed: number;
            buckets: components["schemas"]["MendedBucket"][];
        };
        /**
         * MendedBucket
         * @description What was done in one bucket, or would be. `skipped` counts events that changed since the check.
         */
        MendedBucket: {
            bucket: string;
            removed: number;
            changed: number;
            skipped: number;
            seconds: number;
            examples: components["schemas"]["Example"][];
            undo: number | null;
        };
        /**
         * MergeRequest
         * @description The bucket to merge into. With `dry_run` nothing is changed; `force` also merges buckets of different types.
         */
        MergeRequest: {
            into: string;
            /** @default false */
            dry_run: boolean;
            /** @default false */
            force: boolean;
        };
        /**
         * Merged
         * @description The result of merging a bucket into another, or with `dry_run` the preview.
         *
         *         Of its `events`, `moved` are moved; `skipped` exist already, with the same time, duration and data. `overlapping`
         *         counts
         *         moved events that overlap existing ones.
         */
        Merged: {
            /** @description the merged bucket, which becomes an alias of the other */
            bucket: string;
            into: string;
            events: number;
            moved: number;
            skipped: number;
            overlapping: number;
            warnings: string[];
            undo: number | null;
        };
        /**
         * MigrationProof
         * @description Both sides of a migration, each added up by itself after everything was copied.
         */
        MigrationProof: {
            path: string;
            /** @description whether that is so of every bucket */
            is_proven: boolean;
            buckets: components["schemas"]["ProvenBucket"][];
            settings: components["schemas"]["CopiedSettings"];
        };
        /**
         * MigrationRequest
         * @description Which database to bring along: a path that `GET /api/1/welcome` has told.
         */
        MigrationRequest: {
            path: string;
        };
        /**
         * Move
         * @description Time that goes from one category to another. `null`: it does not count as active, there.
         */
        Move: {
            from: string[] | null;
            to: string[] | null;
            seconds: number;
        };
        /**
         * NearestAnswer
         * @description Where there is something to see around a range without events: an end before it, a start after it.
         */
        NearestAnswer: {
            before: string | null;
            after: string | null;
        };
        /**
         * NewAnnotation
         * @description A new annotation. `category` is required for the kind `category` and optional for `entry`.
         */
        NewAnnotation: {
            /**
             * @description `label` only names the span; `category` assigns its time to the category, whatever the rules say; `exclude` leaves it out; `entry` is time that no watcher recorded
             * @enum {unknown}
             */
            kind: "category" | "entry" | "exclude" | "label";
            /**
             * Format: date-time
             * @description start
             * @example 2026-02-03T08:15:31.250Z
             */
            start: string;
            /**
             * Format: date-time
             * @description end, exclusive
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @default null */
            device: string | null;
            /**
             * @default
             * @example Stand-up
             */
            label: string;
            /** @default null */
            category: string[] | null;
            /**
             * @description free text
             * @default
             */
            note: string;
            /** @default true */
            is_on: boolean;
        };
        /**
         * NewBucket
         * @description A request to create a bucket. `id`, `name`, `events` and `metadata` in the body are ignored.
         */
        NewBucket: {
            type: string;
            client: string;
            hostname: string;
            /** @default null */
            created: string | null;
            /** @default null */
            data: Record<string, never> | null;
        };
        /**
         * NewCategory
         * @description A category as it is to be. Its classic rule or any one of its conditions makes time belong to it.
         */
        NewCategory: {
            /**
             * @description the path from the root
             * @example [
             *       "Work",
             *       "Code"
             *     ]
             */
            name: string[];
            /** @default null */
            id: number | null;
            /** @default null */
            rule: components["schemas"]["NewRule"] | null;
            /** @default [] */
            conditions: components["schemas"]["Condition"][];
            /** @default null */
            priority: number | null;
            /** @default null */
            color: string | null;
            /**
             * @description its time counts without keyboard or mouse input
             * @default false
             */
            is_always_active: boolean;
            /**
             * @description what other programs keep with it, such as `score`
             * @default {}
             */
            data: Record<string, never>;
        };
        /**
         * NewCategoryDocument
         * @description A rule set to import. Without `kind` and `version` its categories are as the setting `classes` has them.
         */
        NewCategoryDocument: {
            categories: Record<string, never>[];
            /** @enum {unknown} */
            kind?: "dayline.categories";
            /** @enum {unknown} */
            version?: 1;
        };
        /**
         * NewGoal
         * @description A new goal. `category` is for `by` category, `value` for app and domain.
         */
        NewGoal: {
            /** @example Deep work */
            name: string;
            /**
             * @description `at_least` is a target, `at_most` a limit
             * @enum {unknown}
             */
            kind: "at_least" | "at_most";
            /**
             * @description seconds of active time
             * @example 14400
             */
            seconds: number;
            /**
             * @description the period in which time is counted
             * @default day
             * @enum {unknown}
             */
            per: "day" | "month" | "week";
            /**
             * @description what counts: all active time, a category with its subcategories, an app, or a domain
             * @default all
             * @enum {unknown}
             */
            by: "all" | "app" | "category" | "domain";
            /** @default null */
            category: string[] | null;
            /** @default null */
            value: string | null;
            /**
             * @description only time on these days counts; default: all days
             * @default [
             *       "monday",
             *       "tuesday",
             *       "wednesday",
             *       "thursday",
             *       "friday",
             *       "saturday",
             *       "sunday"
             *     ]
             */
            weekdays: ("friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday")[];
            /**
             * @description `inside`: only time within work hours counts; `outside`: only overtime
             * @default any
             * @enum {unknown}
             */
            hours: "any" | "inside" | "outside";
            /** @default true */
            is_on: boolean;
        };
        /**
         * NewKey
         * @description A key to be made. `buckets` are ids, or names with `*` for any characters; none means all buckets.
         */
        NewKey: {
            name: string;
            /** @enum {unknown} */
            scope: "append" | "full" | "read";
            /** @default [] */
            buckets: string[];
            /** @default null */
            expires: string | null;
            /** @default false */
            envelope: boolean;
            /**
             * @description whose data it opens, where several people share a database; your own by itself
             * @default null
             */
            tenant: string | null;
        };
        /**
         * NewRule
         * @description The classic rule, which all programs know that read the setting `classes`.
         *
         *         It looks at the window, or at a tab or file that is in no window.
         */
        NewRule: {
            /** @example GitHub|vim */
            regex: string;
            /** @default false */
            ignore_case: boolean;
            /** @default null */
            select_keys: string[] | null;
            /** @default null */
            priority: number | null;
        };
        /**
         * NewWorkHours
         * @description Work hours of all days of the week. An omitted day has none.
         */
        NewWorkHours: {
            /** @default null */
            monday: string | null;
            /** @default null */
            tuesday: string | null;
            /** @default null */
            wednesday: string | null;
            /** @default null */
            thursday: string | null;
            /** @default null */
            friday: string | null;
            /** @default null */
            saturday: string | null;
            /** @default null */
            sunday: string | null;
        };
        /**
         * NowAnswer
         * @description All devices, the one that recorded last first.
         */
        NowAnswer: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            now: string;
            /** @description false while a category is still being found out: ask again soon */
            is_settled: boolean;
            devices: components["schemas"]["DeviceNow"][];
        };
        /**
         * OtherSessions
         * @description How many browsers were signed out.
         */
        OtherSessions: {
            ended: number;
        };
        /**
         * OwnServer
         * @description How it runs, how it is reached, where its files are, and what it was started with.
         */
        OwnServer: {
            version: string;
            hostname: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            started: string;
            /** @description seconds since then */
            uptime: number;
            /** @description where programs on its own computer find it */
            address: string;
            /** @description names that it answers to, besides the address that is called */
            hosts: string[];
            /** @description pages that may call it, besides its own under other names */
            origins: string[];
            /** @description whether every call needs a key */
            needs_keys: boolean;
            is_testing: boolean;
            /** @description of its computer, as far as it can be told */
            time_zone: string;
            database: string;
            log_file: string | null;
            /** @description where settings are read from; it need not be there */
            settings_file: string | null;
            /** @description every setting, and where its value came from */
            settings: components["schemas"]["ServerSetting"][];
        };
        /**
         * Parameter
         * @description One argument of a function. A variadic one, always the only one, may be given any number of times or never.
         */
        Parameter: {
            name: string;
            /** @enum {unknown} */
            kind: "any" | "boolean" | "events" | "keys" | "list" | "list or dict" | "list or events" | "nothing" | "number" | "string";
            description: string;
            is_optional: boolean;
            is_variadic: boolean;
        };
        /**
         * Preferences
         * @description The user's preferences. `null` leaves a choice to the browser.
         */
        Preferences: {
            time_zone: string | null;
            /**
             * @description a time of day
             * @example 04:00
             */
            day_start: string;
            /** @enum {unknown} */
            week_start: "monday" | "saturday" | "sunday";
            language: string | null;
            /** @enum {unknown} */
            duration_style: "clock" | "decimal" | "hours";
            /** @enum {unknown} */
            theme: "auto" | "dark" | "light";
            /** @enum {unknown} */
            density: "comfortable" | "compact";
            reduced_motion: boolean | null;
            single_letter_keys: boolean;
        };
        /**
         * PreferencesChange
         * @description The fields to change. `null` resets a preference to its default.
         */
        PreferencesChange: {
            time_zone?: string | null;
            day_start?: string | null;
            week_start?: ("monday" | "saturday" | "sunday") | null;
            language?: string | null;
            duration_style?: ("clock" | "decimal" | "hours") | null;
            theme?: ("auto" | "dark" | "light") | null;
            density?: ("comfortable" | "compact") | null;
            reduced_motion?: boolean | null;
            single_letter_keys?: boolean | null;
        };
        /**
         * Preview
         * @description What a changed rule set would move. `moved` is in seconds, and `moves` and `samples` begin with the largest.
         */
        Preview: {
            range: components["schemas"]["RangeAnswer"];
            moved: number;
            moves: components["schemas"]["Move"][];
            totals: components["schemas"]["PreviewTotal"][];
            samples: components["schemas"]["PreviewSample"][];
            warnings: components["schemas"]["PreviewWarning"][];
        };
        /**
         * PreviewRequest
         * @description A changed rule set, whole, and how many samples to show. The range is given as in all calls about insight.
         */
        PreviewRequest: {
            categories: components["schemas"]["NewCategory"][];
            /** @default 20 */
            samples: number;
        };
        /**
         * PreviewSample
         * @description Something that would move, and what makes it so.
         */
        PreviewSample: {
            from: string[] | null;
            to: string[] | null;
            seconds: number;
            app: string | null;
            title: string | null;
            url: string | null;
            /** @description the rule that would decide; null where none would */
            match: components["schemas"]["RuleMatch"] | null;
        };
        /**
         * PreviewTotal
         * @description The time of a category now, and as it would be.
         */
        PreviewTotal: {
            category: string[];
            before: number;
            after: number;
        };
        /**
         * PreviewWarning
         * @description Something about a changed rule that may not be meant.
         *
         *         never_matches: nothing in the range. shadowed: what it matches always goes to others, mostly to `other`. too_broad:
         *         it matches `share` of the time that `other` has now. slow: it needs Python's `re`.
         */
        PreviewWarning: {
            /** @enum {unknown} */
            kind: "never_matches" | "shadowed" | "slow" | "too_broad";
            category: string[];
            /** @description which of its conditions, from 0; null: its classic rule */
            condition: number | null;
            other: string[] | null;
            /** @description from 0 to 1 */
            share: number | null;
            message: string;
        };
        /**
         * PrivacyFilter
         * @description An entry of the setting `privacy_filters`. Without a prefix it applies to every bucket.
         */
        PrivacyFilter: {
            enabled: boolean;
            field: string;
            pattern: string;
            /** @enum {unknown} */
            action: "drop" | "redact";
            bucket_prefix: string | null;
            replacement: string | null;
        };
        /**
         * PrivacyRule
         * @description A privacy rule.
         *
         *         It applies if the pattern matches a text at `field`. `drop` drops the event, `redact` replaces the text, `rewrite`
         *         replaces what the pattern matches.
         */
        PrivacyRule: {
            /**
             * @description where in the data: a path like `title` or `tab.url`, or `*` for every text
             * @example title
             */
            field: string;
            /**
             * @description a regular expression in RE2 syntax, matched anywhere in the text
             * @example (?i)bank
             */
            pattern: string;
            /** @enum {unknown} */
            action: "drop" | "redact" | "rewrite";
            /** @default true */
            enabled: boolean;
            /**
             * @description your name for the rule
             * @default
             */
            name: string;
            /**
             * @description bucket ids, in which `*` matches any characters; empty for all
             * @default []
             * @example [
             *       "aw-*"
             *     ]
             */
            buckets: string[];
            /**
             * @description the new text; in a rewrite `\1` is what the first group matched, `\\` a backslash
             * @default REDACTED
             */
            replacement: string;
        };
        /**
         * Problem
         * @description A problem. `hint` says how to fix it; `since` is null if it is unknown.
         */
        Problem: {
            /** @enum {unknown} */
            kind: "background" | "backup" | "check" | "clock" | "connections" | "damage" | "disk" | "replica" | "sign-in" | "watcher";
            message: string;
            hint: string | null;
            since: string | null;
        };
        /**
         * ProgramText
         * @description A program alone.
         */
        ProgramText: {
            query: string | string[];
        };
        /**
         * ProvenBucket
         * @description A bucket of theirs: the events that are to be here, added up there and here.
         */
        ProvenBucket: {
            bucket: string;
            /** @description whether both sums are equal */
            is_proven: boolean;
            theirs: components["schemas"]["ProvenSums"];
            ours: components["schemas"]["ProvenSums"];
            /** @description events that are new here */
            imported: number;
            /** @description events that were here, and have become longer there */
            extended: number;
            /** @description events that are there more than once, and here once */
            repeated: number;
            /** @description events that went on here, and are in neither sum */
            continued: number;
            /** @description events of the bucket here that are none of theirs */
            others: number;
            /** @description events that cannot be used, by the reason */
            left_out: {
                [key: string]: number;
            };
        };
        /**
         * ProvenSums
         * @description What stands for a set of events.
         */
        ProvenSums: {
            events: number;
            /** @description how long they are together */
            seconds: number;
            /** @description the sum of their digests, whatever their order */
            checksum: string;
        };
        /**
         * QueryAnswer
         * @description What a query gave for each period, what it took, and what the program printed.
         */
        QueryAnswer: {
            results: (Record<string, never> | unknown[] | string | number | boolean | null)[];
            statistics: components["schemas"]["Statistics"];
            printed: string[];
        };
        /**
         * QueryCheck
         * @description Whether a program can be run, and what stands against it.
         */
        QueryCheck: {
            is_valid: boolean;
            errors: components["schemas"]["QueryFault"][];
        };
        /**
         * QueryExplanation
         * @description What each statement of a query did in each period, and what the query took as a whole.
         */
        QueryExplanation: {
            statements: components["schemas"]["StatementReport"][];
            statistics: components["schemas"]["Statistics"];
        };
        /**
         * QueryFault
         * @description What is wrong with a program, and where; `excerpt` is the line with a caret under the place.
         */
        QueryFault: {
            type: string;
            message: string;
            expected: string[];
            line?: number;
            column?: number;
            excerpt?: string;
            hint?: string;
        };
        /**
         * QueryLines
         * @description A program, and the periods to run it for.
         */
        QueryLines: {
            /** @description the lines of the program */
            query: string[];
            /** @description the program runs once for each; `start/end`, both RFC 3339 */
            timeperiods: string[];
        };
        /**
         * QueryRequest
         * @description A program, the periods to run it for, and what it may take. `name` is what `NAME` holds in the program.
         */
        QueryRequest: {
            query: string | string[];
            /** @description the program runs once for each; `start/end`, both RFC 3339 */
            timeperiods: string[];
            /** @default  */
            name: string;
            /** @default null */
            timeout_s: number | null;
            /** @default null */
            max_result_bytes: number | null;
        };
        /**
         * RangeAnswer
         * @description What an answer is about: from `start` to before `end`, and how days are cut.
         */
        RangeAnswer: {
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            end: string;
            /**
             * @description an IANA time zone
             * @example Europe/Berlin
             */
            tz: string;
            /**
             * @description a time of day
             * @example 04:00
             */
            day_start: string;
            /** @enum {unknown} */
            week_start: "monday" | "saturday" | "sunday";
            /**
             * @description what people call it
             * @example Thu 5 Mar 2026
             */
            label: string;
        };
        /**
         * Ready
         * @description There is one answer but 503.
         */
        Ready: {
            /** @enum {unknown} */
            status: "ready";
        };
        /**
         * RedactionPreview
         * @description What rules would change. A data object or event counts once in the totals, however many rules change it.
         */
        RedactionPreview: {
            rules: components["schemas"]["RuleEffect"][];
            changed_values: number;
            changed_events: number;
            dropped_events: number;
            seconds: number;
        };
        /**
         * RedactionRequest
         * @description Which rules to apply to which part of history.
         */
        RedactionRequest: {
            /**
             * @description rules to apply; default: all active rules
             * @default null
             */
            rules: components["schemas"]["PrivacyRule"][] | null;
            /**
             * @description bucket ids, in which `*` matches any characters; empty for all
             * @default []
             */
            buckets: string[];
            /**
             * @description number of examples per rule
             * @default 20
             */
            samples: number;
        };
        /**
         * RehostRequest
         * @description The new host name of a bucket.
         *
         *         With `rename`, an id that ends with the old host name gets the new one; if a bucket with that id exists, `merge`
         *         merges
         *         into it. With `dry_run` nothing is changed.
         */
        RehostRequest: {
            hostname: string;
            /** @default true */
            rename: boolean;
            /** @default false */
            merge: boolean;
            /** @default false */
            dry_run: boolean;
        };
        /**
         * Rehosted
         * @description A bucket on its new host. `merged` is set if it was merged into a bucket with the new id.
         */
        Rehosted: {
            id: string;
            former_id: string;
            hostname: string;
            former_hostname: string;
            aliases: string[];
            merged: components["schemas"]["Merged"] | null;
            undo: number | null;
        };
        /**
         * RemovedAnnotation
         * @description A deleted annotation, and its undo number.
         */
        RemovedAnnotation: {
            id: number;
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            undo: number;
        };
        /**
         * RemovedDemoBucket
         * @description A bucket that is in the trash now, and what undoes that: the same for all of them.
         */
        RemovedDemoBucket: {
            bucket: string;
            undo: number;
        };
        /**
         * RemovedEvent
         * @description The deleted event.
         */
        RemovedEvent: {
            event: components["schemas"]["EventDetail"];
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            undo: number;
        };
        /**
         * RenameRequest
         * @description The new id of a bucket. With `alias`, the old id becomes an alias, so that its watcher keeps working.
         */
        RenameRequest: {
            id: string;
            /** @default true */
            alias: boolean;
        };
        /**
         * Renamed
         * @description A bucket with its new id and its aliases.
         */
        Renamed: {
            id: string;
            former_id: string;
            aliases: string[];
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            undo: number;
        };
        /**
         * RenamedHost
         * @description Two host names that look like the same computer, renamed. `reason` explains why.
         */
        RenamedHost: {
            old: string;
            new: string;
            reason: string;
        };
        /**
         * ReportTemplate
         * @description The parameters of `GET /api/1/reports/timesheet`, as in its URL.
         */
        ReportTemplate: {
            period?: string;
            tz?: string;
            day_start?: string;
            week_start?: string;
            device?: string[];
            filter?: string[];
            /** @enum {unknown} */
            away?: "exclude" | "include";
            /** @enum {unknown} */
            annotations?: "off" | "on";
            /** @enum {unknown} */
            by?: "app" | "category" | "label" | "project" | "title";
            /** @enum {unknown} */
            format?: "csv" | "html" | "json";
            /** @enum {unknown} */
            round?: "down" | "nearest" | "none" | "up";
            to?: string;
            /** @enum {unknown} */
            per?: "day" | "entry";
            least?: string;
            gaps?: string;
            rate?: string;
            rates?: string;
            currency?: string;
            title?: string;
            /** @enum {unknown} */
            notes?: "off" | "on";
        };
        /**
         * RestoredSetting
         * @description A setting as it is now. Not `is_set`: it has no value any more.
         */
        RestoredSetting: {
            /** @enum {unknown} */
            of: "client" | "own";
            key: string;
            is_set: boolean;
            value: Record<string, never> | unknown[] | string | number | boolean | null;
        };
        /**
         * RetentionRule
         * @description Buckets and the age at which their events are downsampled. The first rule that matches a bucket applies.
         */
        RetentionRule: {
            /**
             * @description bucket id, in which `*` matches any characters
             * @example aw-watcher-window_*
             */
            bucket: string;
            /**
             * @description days after which events are downsampled
             * @example 365
             */
            days: number;
        };
        /**
         * RetentionTrial
         * @description Rules to try; without them, those in force.
         */
        RetentionTrial: {
            /** @default null */
            rules: components["schemas"]["RetentionRule"][] | null;
        };
        /**
         * RetentionView
         * @description The rules in order; empty if nothing is downsampled.
         */
        RetentionView: {
            rules: components["schemas"]["RuleInForce"][];
        };
        /**
         * Row
         * @description One line of a list.
         */
        Row: {
            /** @description what it is; a category is the list of its names, from the root */
            key: string | string[];
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
            /** @description of the active time, from 0 to 1 */
            share: number;
            /**
             * @description seconds
             * @example 5400
             */
            prev?: number;
            /** @description the one that most of it belongs to */
            category?: string[];
        };
        /**
         * RuleEffect
         * @description The effect of one rule, after those before it. `rule` counts the filters of the setting first, then the rules.
         */
        RuleEffect: {
            rule: number;
            name: string;
            field: string;
            pattern: string;
            /** @enum {unknown} */
            action: "drop" | "redact" | "rewrite";
            buckets: components["schemas"]["BucketEffect"][];
            /** @description the longest total duration first */
            samples: components["schemas"]["Sample"][];
        };
        /**
         * RuleInForce
         * @description A rule and the buckets it applies to: those that no earlier rule matches.
         */
        RuleInForce: {
            /**
             * @description bucket id, in which `*` matches any characters
             * @example aw-watcher-window_*
             */
            bucket: string;
            /**
             * @description days after which events are downsampled
             * @example 365
             */
            days: number;
            buckets: string[];
        };
        /**
         * RuleMatch
         * @description A rule that matches. `start` and `end` are where in the text, in characters.
         */
        RuleMatch: {
            category: string[];
            /** @description which of its conditions, from 0; null: its classic rule */
            condition: number | null;
            /** @enum {unknown} */
            op: "ends" | "has" | "is" | "regex" | "starts" | "word";
            /** @description empty in answers to a key for some buckets */
            pattern: string;
            /** @enum {unknown} */
            layer: "file" | "tab" | "window";
            field: string;
            text: string;
            start: number;
            end: number;
            /** @description of all rules that match, the highest wins */
            priority: number;
            /** @description why it did not win: another has a higher priority, or the same and comes later in the list, it belongs to the winning category, or an annotation overrides it */
            lost_by: ("annotation" | "order" | "priority" | "same category") | null;
        };
        /**
         * Sample
         * @description A data object before and after; `after` is null if its events are dropped.
         */
        Sample: {
            bucket: string;
            before: Record<string, never>;
            after: Record<string, never> | null;
            events: number;
            seconds: number;
        };
        /**
         * SearchAnswer
         * @description The hits of one page, and figures about all of them.
         */
        SearchAnswer: {
            range: components["schemas"]["RangeAnswer"];
            /** @description the query as understood */
            understood: string;
            /** @description hits on all pages */
            total: number;
            /** @description events of all hits */
            events: number;
            seconds: number;
            hits: components["schemas"]["SearchHit"][];
            /** @description for the next page; null on the last */
            cursor: string | null;
            facets: components["schemas"]["Facets"];
            histogram: components["schemas"]["Histogram"];
            /** @description where nothing was found: a query with a word that there is */
            suggestion: string | null;
            /** @description values that were not in the index yet, and are found too */
            looked_through: number;
            /** @description milliseconds */
            took: number;
        };
        /**
         * SearchHit
         * @description Events that have the same data, or the same title and so on. Bucket and data are those of the latest event.
         */
        SearchHit: {
            /** @description what they have in common; null where that is all of the data */
            key: string | null;
            data: Record<string, never>;
            highlights: components["schemas"]["Highlight"][];
            /** @description how long they took, within the range */
            seconds: number;
            /** @description how many events */
            count: number;
            /**
             * Format: date-time
             * @description when the first of them begins
             */
            first: string;
            /**
             * Format: date-time
             * @description when the last of them ends
             */
            last: string;
            /** @description the category of the latest event by the rules */
            category: string[];
            bucket: string;
            device: string;
            type: string;
            event: components["schemas"]["HitEvent"];
        };
        /**
         * Series
         * @description The seconds of each bin. What the keys do not have is in `other`, or has no such key at all.
         */
        Series: {
            range: components["schemas"]["RangeAnswer"];
            /** @enum {unknown} */
            bin: "5m" | "day" | "hour" | "month" | "week" | "weekhour";
            /** @enum {unknown} */
            by: "app" | "bucket" | "category" | "device" | "domain" | "project" | "title" | "url";
            /** @description one more than there are bins; none with `weekhour` */
            edges: string[];
            keys: (string | string[])[];
            /** @description for each key the seconds of each bin */
            values: number[][];
            other: number[];
            total: number[];
            /** @description with `weekhour`: how many such hours of the range have passed */
            hours?: number[];
            /** @description the values of what it is compared with, bin by bin */
            prev?: number[][];
            prev_total?: number[];
            prev_range?: components["schemas"]["RangeAnswer"];
            /** @description the whole earlier period, where the range is not over: only its elapsed part counts */
            prev_whole?: components["schemas"]["RangeAnswer"];
            /** @description with `typical`: how many earlier periods it is the median of */
            prev_periods?: number;
        };
        /**
         * ServerSetting
         * @description A setting that the server was started with: it is changed where it came from, and by a new start.
         */
        ServerSetting: {
            /**
             * @description as in the settings file, with its section
             * @example server.port
             */
            name: string;
            value: unknown;
            /** @enum {unknown} */
            source: "command line" | "default" | "environment" | "file";
        };
        /**
         * SessionView
         * @description Whether this server asks for a key, and who this browser is signed in as; `null` where it is not.
         *
         *         Without a key id it is signed in as the owner, by a one-time code that was made without a key.
         */
        SessionView: {
            needs_key: boolean;
            is_signed_in: boolean;
            scope: ("append" | "full" | "read") | null;
            buckets: string[];
            key_id: string | null;
            expires: string | null;
        };
        /**
         * SettingChangeView
         * @description What a setting was changed to. `is_deleted`: it was removed, and `value` says nothing.
         */
        SettingChangeView: {
            number: number;
            key: string;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            changed: string;
            is_deleted: boolean;
            value: Record<string, never> | unknown[] | string | number | boolean | null;
        };
        /**
         * SettingHistory
         * @description Changes, the latest first; `cursor` asks for the next ones, `null` at the end.
         */
        SettingHistory: {
            changes: components["schemas"]["SettingChangeView"][];
            cursor: number | null;
        };
        /**
         * SheetColumn
         * @description One key, and what it comes to.
         */
        SheetColumn: {
            /** @description a category is the list of its names; null: time without a key */
            key: string | string[] | null;
            /**
             * @description the key as text
             * @example Work/Code
             */
            name: string;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
            /**
             * @description seconds
             * @example 5400
             */
            rounded: number;
            /** @description in the currency of the sheet, to the hundredth */
            rate?: number;
            /** @description in the currency of the sheet, to the hundredth */
            amount?: number;
        };
        /**
         * SheetDay
         * @description One day. `seconds` is what it was, `rounded` what the rounding makes of it.
         */
        SheetDay: {
            /** @example 2026-03-05 */
            date: string;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            first: string;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            last: string;
            breaks: components["schemas"]["Breaks"];
            entries: components["schemas"]["SheetEntry"][];
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
            /**
             * @description seconds
             * @example 5400
             */
            rounded: number;
            /** @description in the currency of the sheet, to the hundredth */
            amount?: number;
            notes?: string[];
        };
        /**
         * SheetEntry
         * @description The time of one key on one day. `column` numbers the columns from 0.
         */
        SheetEntry: {
            column: number;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
            /**
             * @description seconds
             * @example 5400
             */
            rounded: number;
            /** @description in the currency of the sheet, to the hundredth */
            amount?: number;
        };
        /**
         * SheetRules
         * @description How the sheet was made; lengths are in seconds. `text` says it in a sentence.
         */
        SheetRules: {
            /** @enum {unknown} */
            round: "down" | "nearest" | "none" | "up";
            /**
             * @description seconds
             * @example 5400
             */
            to: number;
            /** @enum {unknown} */
            per: "day" | "entry";
            /**
             * @description seconds
             * @example 5400
             */
            least: number;
            /**
             * @description seconds
             * @example 5400
             */
            gaps: number;
            text: string;
        };
        /**
         * SheetTotals
         * @description What all days come to.
         */
        SheetTotals: {
            days: number;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
            /**
             * @description seconds
             * @example 5400
             */
            rounded: number;
            breaks: components["schemas"]["Breaks"];
            left_out: components["schemas"]["LeftOut"];
            /** @description in the currency of the sheet, to the hundredth */
            amount?: number;
        };
        /**
         * SignIn
         * @description A key, or the one-time code of a link that `dayline open` has made.
         */
        SignIn: {
            /** @default null */
            key: string | null;
            /** @default null */
            code: string | null;
        };
        /**
         * SignInCode
         * @description A code that signs one browser in as the one who asked for it, once and soon. It ends with their key.
         */
        SignInCode: {
            code: string;
            expires_in_s: number;
        };
        /**
         * Signature
         * @description A function with its description. `is_over_period`: it depends on the period of the query.
         */
        Signature: {
            name: string;
            summary: string;
            parameters: components["schemas"]["Parameter"][];
            /** @enum {unknown} */
            returns: "any" | "boolean" | "events" | "keys" | "list" | "list or dict" | "list or events" | "nothing" | "number" | "string";
            example: string;
            is_over_period: boolean;
        };
        /**
         * SignedInBrowser
         * @description A browser that is signed in. Without a key id it is signed in as the owner.
         *
         *         `address` is where it signed in. `is_new_address` is true if nobody had signed in from there before, until the
         *         sign-in is confirmed.
         */
        SignedInBrowser: {
            /** @example 3f9c02d1b7aa */
            id: string;
            /**
             * @description browser and system, as far as the user agent says
             * @example Firefox on Linux
             */
            device: string;
            user_agent: string;
            key_id: string | null;
            key_name: string | null;
            /** @enum {unknown} */
            scope: "append" | "full" | "read";
            address: string;
            is_new_address: boolean;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            started: string;
            last_used: string | null;
            last_address: string | null;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            expires: string;
            /** @description whether it is the browser that asks */
            is_current: boolean;
        };
        /**
         * Space
         * @description Disk space used by the database and the files next to it.
         */
        Space: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            measured: string;
            database: components["schemas"]["FileSpace"];
            /** @description bytes of the derived data next to the database, which can be rebuilt */
            segments: number;
            /** @description bytes of the write-ahead log */
            log: number;
            /** @description bytes of all files in the backup folder */
            backups: number;
            /** @description total bytes */
            total: number;
        };
        /**
         * SplitEvent
         * @description Both parts: the first keeps the event's id.
         */
        SplitEvent: {
            events: components["schemas"]["EventDetail"][];
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            undo: number;
        };
        /**
         * SplitRequest
         * @description Where to split an event: a time after its start and before its end.
         */
        SplitRequest: {
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            at: string;
        };
        /**
         * StarterSet
         * @description Categories to begin with.
         */
        StarterSet: {
            id: string;
            title: string;
            description: string;
            categories: components["schemas"]["StatedCategory"][];
        };
        /**
         * StatedCategory
         * @description A category. `data` is what other programs keep with it.
         */
        StatedCategory: {
            id: number;
            name: string[];
            rule: components["schemas"]["StatedClassicRule"] | null;
            conditions: components["schemas"]["StatedCondition"][];
            priority: number | null;
            color: string | null;
            is_always_active: boolean;
            data: Record<string, never>;
        };
        /**
         * StatedClassicRule
         * @description The classic rule, as all programs know it that read the setting `classes`.
         */
        StatedClassicRule: {
            regex: string;
            ignore_case: boolean;
            select_keys: string[] | null;
            priority: number | null;
        };
        /**
         * StatedCondition
         * @description A condition, every field said.
         */
        StatedCondition: {
            /**
             * @description `app`, `title`, `url`, `domain`, `path`, `project`, any other key of the data, or `any`
             * @example domain
             */
            field: string;
            /**
             * @description how the text is compared: equal, contained, as a word, at the start or end, or by pattern
             * @enum {unknown}
             */
            op: "ends" | "has" | "is" | "regex" | "starts" | "word";
            /** @example docs.python.org */
            value: string;
            ignore_case: boolean;
        };
        /**
         * StatedRedaction
         * @description History changed by rules. It can be undone until it is final.
         */
        StatedRedaction: {
            id: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            made: string;
            /** @enum {unknown} */
            state: "applied" | "applying" | "final" | "undoing" | "undone";
            rules: components["schemas"]["StatedRules"];
            buckets: string[];
            changed_values: number;
            changed_events: number;
            dropped_events: number;
            undo: number | null;
        };
        /**
         * StatedRule
         * @description A rule of Dayline's own as it is stored, every field said.
         */
        StatedRule: {
            /**
             * @description where in the data: a path like `title` or `tab.url`, or `*` for every text
             * @example title
             */
            field: string;
            /**
             * @description a regular expression in RE2 syntax, matched anywhere in the text
             * @example (?i)bank
             */
            pattern: string;
            /** @enum {unknown} */
            action: "drop" | "redact" | "rewrite";
            enabled: boolean;
            /** @description your name for the rule */
            name: string;
            /**
             * @description bucket ids, in which `*` matches any characters; empty for all
             * @example [
             *       "aw-*"
             *     ]
             */
            buckets: string[];
            /** @description the new text; in a rewrite `\1` is what the first group matched, `\\` a backslash */
            replacement: string;
        };
        /**
         * StatedRules
         * @description All rules, in the order in which they are applied: those of the setting `privacy_filters`, then Dayline's own.
         */
        StatedRules: {
            filters: components["schemas"]["PrivacyFilter"][];
            rules: components["schemas"]["StatedRule"][];
        };
        /**
         * StatementReport
         * @description One statement of a program, in one period.
         */
        StatementReport: {
            period: number;
            line: number;
            text: string;
            seconds: number;
            events_in: number;
            events_out: number;
            reads: components["schemas"]["BucketRead"][];
            fallbacks: string[];
        };
        /**
         * Statistics
         * @description Statistics of a query.
         */
        Statistics: {
            seconds: number;
            events_read: number;
            segments_read: number;
            rows_read: number;
            result_bytes: number;
        };
        /**
         * StoreProof
         * @description The answer to a nonce. Only the owner of the server can check it, with the token file of the server.
         */
        StoreProof: {
            /** @description HMAC-SHA256 of the nonce and of the store, keyed by the local token */
            proof: string;
        };
        /**
         * StreamBucket
         * @description Something happened to a bucket.
         */
        StreamBucket: {
            id: string;
            /** @enum {unknown} */
            change: "changed" | "created" | "deleted" | "merged" | "recorded" | "renamed" | "restored";
        };
        /**
         * StreamGoal
         * @description A goal is reached, or a limit exceeded.
         */
        StreamGoal: {
            id: string;
            /** @enum {unknown} */
            state: "exceeded" | "reached";
        };
        /**
         * StreamHello
         * @description The first message. `resumed`: what was missed follows, and nothing else was; `revision` as of this moment.
         */
        StreamHello: {
            resumed: boolean;
            version: string;
            revision?: number;
        };
        /**
         * StreamMessage
         * @description One message, as a client of server-sent events reads it.
         */
        StreamMessage: {
            id: string;
            /** @enum {unknown} */
            event: "bucket" | "goal" | "hello" | "job" | "now" | "reset" | "revision" | "settings";
            /** @description JSON: StreamHello, an empty object, NowAnswer, StreamRevision, StreamBucket, JobView, StreamGoal or StreamSetting, for hello, reset, now, revision, bucket, job, goal and settings */
            data: string;
        };
        /**
         * StreamRevision
         * @description The store has come so far.
         */
        StreamRevision: {
            revision: number;
        };
        /**
         * StreamSetting
         * @description A setting was changed.
         */
        StreamSetting: {
            key: string;
        };
        /**
         * Suggestion
         * @description Time without a category that has something in common, and a rule for it. The same group keeps its id.
         */
        Suggestion: {
            id: string;
            /** @enum {unknown} */
            kind: "app" | "domain" | "word";
            value: string;
            seconds: number;
            /** @description how many different things it is made of */
            count: number;
            samples: components["schemas"]["SuggestionSample"][];
            condition: components["schemas"]["StatedCondition"];
            /** @description a name for it */
            category: string[];
        };
        /**
         * SuggestionSample
         * @description One of the things that a suggestion is made of.
         */
        SuggestionSample: {
            app: string | null;
            title: string | null;
            url: string | null;
            seconds: number;
        };
        /**
         * Suggestions
         * @description The largest groups of time without a category. `uncategorized` is all such time, in seconds.
         */
        Suggestions: {
            range: components["schemas"]["RangeAnswer"];
            uncategorized: number;
            suggestions: components["schemas"]["Suggestion"][];
            /** @description number of ignored suggestions that were left out */
            ignored: number;
        };
        /**
         * Summary
         * @description The totals of a range, and a list for each field that was asked for.
         */
        Summary: {
            range: components["schemas"]["RangeAnswer"];
            totals: components["schemas"]["Totals"];
            lists: {
                [key: string]: components["schemas"]["Row"][];
            };
            /** @description how many keys each list leaves out */
            more: {
                [key: string]: number;
            };
            /** @description seconds of the active time that have no such key */
            without: {
                [key: string]: number;
            };
            devices: components["schemas"]["DeviceTime"][];
            compare?: components["schemas"]["Compared"];
        };
        /**
         * SurveyedBucket
         * @description What an import would do to one bucket. `conflicts` lists the fields whose value differs in the document.
         */
        SurveyedBucket: {
            id: string;
            is_new: boolean;
            new: number;
            known: number;
            invalid: number;
            dropped: number;
            conflicts: string[];
        };
        /**
         * TheirDatabase
         * @description A database of an existing server. Where `problem` says why it cannot be read, nothing is known of what it has.
         */
        TheirDatabase: {
            path: string;
            /** @enum {unknown} */
            kind: "aw-server" | "aw-server-rust";
            buckets: number;
            events: number;
            /** @description of its files together */
            bytes: number;
            /** @description where its first event begins */
            first: string | null;
            /** @description where its last event ends */
            last: string | null;
            /** @description whether all its buckets are here from their first event on; newer ones may still be there */
            already_migrated: boolean;
            problem: string | null;
        };
        /**
         * TimelineAnswer
         * @description Lanes, those of one device together, and what the numbers in them mean.
         */
        TimelineAnswer: {
            range: components["schemas"]["RangeAnswer"];
            px: number;
            lanes: components["schemas"]["LaneAnswer"][];
            keys: string[];
            categories: string[][];
            /** @description for each column of equal width how much of it has an event, in the lane that has most */
            overview: number[];
            /** @description null where there are events in the range */
            nearest: components["schemas"]["NearestAnswer"] | null;
        };
        /**
         * Timesheet
         * @description The days on which something counts, and the columns, the largest first.
         */
        Timesheet: {
            range: components["schemas"]["RangeAnswer"];
            title: string;
            /** @enum {unknown} */
            by: "app" | "category" | "label" | "project" | "title";
            rules: components["schemas"]["SheetRules"];
            currency: string;
            columns: components["schemas"]["SheetColumn"][];
            days: components["schemas"]["SheetDay"][];
            totals: components["schemas"]["SheetTotals"];
        };
        /**
         * Totals
         * @description How much of the range was spent how.
         */
        Totals: {
            /**
             * @description seconds
             * @example 5400
             */
            active: number;
            /**
             * @description a device was known to be left alone, and none was used
             * @example 5400
             */
            away: number;
            /**
             * @description the rest, up to now
             * @example 5400
             */
            nodata: number;
            /** @description when the first active time begins */
            first: string | null;
            /** @description when the last active time ends */
            last: string | null;
            /**
             * @description in one category, interrupted for less than two minutes
             * @example 5400
             */
            longest_focus: number;
            /** @description when that was */
            focus: components["schemas"]["Focus"] | null;
            /** @description from one app to another */
            switches: number;
            /**
             * @description what several devices had at once: their sum exceeds `active` by it
             * @example 5400
             */
            overlap: number;
        };
        /**
         * TrashItem
         * @description An operation that can be undone. `events` counts the events that it deleted or changed.
         */
        TrashItem: {
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            id: number;
            /** @enum {unknown} */
            kind: "delete_bucket" | "delete_buckets" | "delete_events" | "insert_events" | "mend_events" | "merge_buckets" | "redaction" | "rehost_bucket" | "remove_alias" | "rename_bucket" | "replace_events" | "split_event" | "thin_bucket" | "update_bucket";
            /** @description the bucket's id at that time; empty for several buckets */
            bucket: string;
            /** @description the id that it was renamed to or merged into, or the alias that was deleted */
            other: string;
            events: number;
            /**
             * Format: date-time
             * @example 2026-02-03T08:15:31.250Z
             */
            made: string;
            /**
             * Format: date-time
             * @description when it expires
             * @example 2026-02-03T08:15:31.250Z
             */
            until: string;
            /** @enum {unknown} */
            state: "doing" | "done" | "undoing" | "undone";
        };
        /**
         * Undone
         * @description What was undone. `merged`: the bucket had been created again, and its new events were kept.
         */
        Undone: {
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            id: number;
            /** @enum {unknown} */
            kind: "delete_bucket" | "delete_buckets" | "delete_events" | "insert_events" | "mend_events" | "merge_buckets" | "redaction" | "rehost_bucket" | "remove_alias" | "rename_bucket" | "replace_events" | "split_event" | "thin_bucket" | "update_bucket";
            bucket: string;
            events: number;
            merged: boolean;
        };
        /**
         * Welcome
         * @description What there is here, and what there is to bring along.
         */
        Welcome: {
            /** @description whether there is no event but the demo's */
            is_empty: boolean;
            /** @description databases of ActivityWatch's servers on this computer */
            found: components["schemas"]["TheirDatabase"][];
            demo: components["schemas"]["DemoState"];
            /** @description where a watcher on this computer sends to */
            address: string;
            watchers: components["schemas"]["KnownWatcher"][];
        };
        /**
         * WorkAnswer
         * @description The same of the day, and of the week around it.
         */
        WorkAnswer: {
            day: components["schemas"]["WorkTime"];
            week: components["schemas"]["WorkTime"];
        };
        /**
         * WorkHours
         * @description Work hours by day of the week; null on days off. Time outside of them is overtime.
         */
        WorkHours: {
            monday: string | null;
            tuesday: string | null;
            wednesday: string | null;
            thursday: string | null;
            friday: string | null;
            saturday: string | null;
            sunday: string | null;
        };
        /**
         * WorkTime
         * @description Active time inside and outside the hours of work.
         */
        WorkTime: {
            /** @description seconds of active time */
            inside: number;
            /** @description overtime, in seconds */
            outside: number;
        };
        /**
         * YearSpace
         * @description Disk space of a year (UTC): of each bucket, the share of its events that started then.
         */
        YearSpace: {
            year: number;
            events: number;
            /** @description bytes */
            bytes: number;
        };
    };
    responses: {
        /** @description The bucket already exists, and nothing was changed: what a watcher gets on every start but its first. */
        BucketExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The request cannot be parsed: broken JSON, broken UTF-8, a bad parameter, or an unknown Host header. */
        Malformed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The request cannot be parsed, or its query fails: `type` then ends in Exception. */
        QueryError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A key is required, and it is missing or invalid. */
        Unauthorised: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Authenticated, but not allowed: a page of another origin, an extension that may only record, a restricted key. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no such bucket, event, key or path. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description It conflicts with existing data: the id belongs to another bucket. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description It existed and has expired. */
        Gone: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description It was changed by another client since it was read. */
        Stale: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Above a limit, which the message names. */
        TooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body does not have the content type that this call requires. */
        WrongType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The request can be parsed but is not valid: a missing field, a wrong type, a time out of range. */
        Invalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Too many requests: slow down. */
        TooMany: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description It cannot be done now, though the request is valid: retry in a few seconds. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description finds the request in the server's log */
        "X-Request-Id": string;
        /** @description how far the store had come when it was read: a number that grows with every change; not for keys that are for some buckets only */
        Revision: number;
        /** @description stands for this very answer */
        ETag: string;
        /** @description seconds to wait before the request is sent again */
        "Retry-After": number;
    };
    pathItems: never;
}
export type Alias = components['schemas']['Alias'];
export type AliasRemoved = components['schemas']['AliasRemoved'];
export type AnnotationChange = components['schemas']['AnnotationChange'];
export type AnnotationPage = components['schemas']['AnnotationPage'];
export type AnnotationView = components['schemas']['AnnotationView'];
export type AuditLine = components['schemas']['AuditLine'];
export type AuditPage = components['schemas']['AuditPage'];
export type BackgroundWork = components['schemas']['BackgroundWork'];
export type BackupFailureView = components['schemas']['BackupFailureView'];
export type BackupList = components['schemas']['BackupList'];
export type BackupView = components['schemas']['BackupView'];
export type Breaks = components['schemas']['Breaks'];
export type BucketChange = components['schemas']['BucketChange'];
export type BucketEffect = components['schemas']['BucketEffect'];
export type BucketRange = components['schemas']['BucketRange'];
export type BucketRead = components['schemas']['BucketRead'];
export type BucketSpace = components['schemas']['BucketSpace'];
export type BucketState = components['schemas']['BucketState'];
export type BucketStates = components['schemas']['BucketStates'];
export type BucketView = components['schemas']['BucketView'];
export type Categories = components['schemas']['Categories'];
export type CategoriesChange = components['schemas']['CategoriesChange'];
export type CategoryDocument = components['schemas']['CategoryDocument'];
export type CategoryFault = components['schemas']['CategoryFault'];
export type CategoryImport = components['schemas']['CategoryImport'];
export type CategoryVersion = components['schemas']['CategoryVersion'];
export type CategoryVersions = components['schemas']['CategoryVersions'];
export type ChangedAnnotation = components['schemas']['ChangedAnnotation'];
export type ChangedCategories = components['schemas']['ChangedCategories'];
export type ChangedEvent = components['schemas']['ChangedEvent'];
export type Compacted = components['schemas']['Compacted'];
export type Compaction = components['schemas']['Compaction'];
export type Compared = components['schemas']['Compared'];
export type Condition = components['schemas']['Condition'];
export type CopiedSettings = components['schemas']['CopiedSettings'];
export type DataFilter = components['schemas']['DataFilter'];
export type DeletedEvents = components['schemas']['DeletedEvents'];
export type Deletion = components['schemas']['Deletion'];
export type DemoRemoved = components['schemas']['DemoRemoved'];
export type DemoRequest = components['schemas']['DemoRequest'];
export type DemoState = components['schemas']['DemoState'];
export type DeviceNow = components['schemas']['DeviceNow'];
export type DeviceState = components['schemas']['DeviceState'];
export type DeviceTime = components['schemas']['DeviceTime'];
export type DeviceView = components['schemas']['DeviceView'];
export type DownsampledBucket = components['schemas']['DownsampledBucket'];
export type DownsamplingPreview = components['schemas']['DownsamplingPreview'];
export type Emptied = components['schemas']['Emptied'];
export type ErrorBody = components['schemas']['ErrorBody'];
export type EventBody = components['schemas']['EventBody'];
export type EventDetail = components['schemas']['EventDetail'];
export type EventInContext = components['schemas']['EventInContext'];
export type EventPage = components['schemas']['EventPage'];
export type EventPatch = components['schemas']['EventPatch'];
export type EventSelector = components['schemas']['EventSelector'];
export type EventView = components['schemas']['EventView'];
export type Example = components['schemas']['Example'];
export type ExplainRequest = components['schemas']['ExplainRequest'];
export type Explanation = components['schemas']['Explanation'];
export type Export = components['schemas']['Export'];
export type ExportedBucket = components['schemas']['ExportedBucket'];
export type ExportedEvent = components['schemas']['ExportedEvent'];
export type Facet = components['schemas']['Facet'];
export type Facets = components['schemas']['Facets'];
export type FileParts = components['schemas']['FileParts'];
export type FileSpace = components['schemas']['FileSpace'];
export type Finding = components['schemas']['Finding'];
export type Findings = components['schemas']['Findings'];
export type Focus = components['schemas']['Focus'];
export type Goal = components['schemas']['Goal'];
export type GoalChange = components['schemas']['GoalChange'];
export type GoalPeriodAnswer = components['schemas']['GoalPeriodAnswer'];
export type GoalProgress = components['schemas']['GoalProgress'];
export type GoalsAnswer = components['schemas']['GoalsAnswer'];
export type HealthView = components['schemas']['HealthView'];
export type HeartbeatBody = components['schemas']['HeartbeatBody'];
export type Highlight = components['schemas']['Highlight'];
export type Histogram = components['schemas']['Histogram'];
export type HitEvent = components['schemas']['HitEvent'];
export type IgnoredSuggestion = components['schemas']['IgnoredSuggestion'];
export type IgnoredSuggestions = components['schemas']['IgnoredSuggestions'];
export type Import = components['schemas']['Import'];
export type ImportReport = components['schemas']['ImportReport'];
export type ImportSurvey = components['schemas']['ImportSurvey'];
export type ImportedBucket = components['schemas']['ImportedBucket'];
export type ImportedCategory = components['schemas']['ImportedCategory'];
export type Info = components['schemas']['Info'];
export type JobFault = components['schemas']['JobFault'];
export type JobList = components['schemas']['JobList'];
export type JobProgress = components['schemas']['JobProgress'];
export type JobResult = components['schemas']['JobResult'];
export type JobView = components['schemas']['JobView'];
export type KeptReport = components['schemas']['KeptReport'];
export type KeyRotation = components['schemas']['KeyRotation'];
export type KeyView = components['schemas']['KeyView'];
export type KnownWatcher = components['schemas']['KnownWatcher'];
export type LaneAnswer = components['schemas']['LaneAnswer'];
export type LeftOut = components['schemas']['LeftOut'];
export type LikelyName = components['schemas']['LikelyName'];
export type ListedEvent = components['schemas']['ListedEvent'];
export type LogRecord = components['schemas']['LogRecord'];
export type MadeKey = components['schemas']['MadeKey'];
export type MendRequest = components['schemas']['MendRequest'];
export type Mended = components['schemas']['Mended'];
export type MendedBucket = components['schemas']['MendedBucket'];
export type MergeRequest = components['schemas']['MergeRequest'];
export type Merged = components['schemas']['Merged'];
export type MigrationProof = components['schemas']['MigrationProof'];
export type MigrationRequest = components['schemas']['MigrationRequest'];
export type Move = components['schemas']['Move'];
export type NearestAnswer = components['schemas']['NearestAnswer'];
export type NewAnnotation = components['schemas']['NewAnnotation'];
export type NewBucket = components['schemas']['NewBucket'];
export type NewCategory = components['schemas']['NewCategory'];
export type NewCategoryDocument = components['schemas']['NewCategoryDocument'];
export type NewGoal = components['schemas']['NewGoal'];
export type NewKey = components['schemas']['NewKey'];
export type NewRule = components['schemas']['NewRule'];
export type NewWorkHours = components['schemas']['NewWorkHours'];
export type NowAnswer = components['schemas']['NowAnswer'];
export type OtherSessions = components['schemas']['OtherSessions'];
export type OwnServer = components['schemas']['OwnServer'];
export type Parameter = components['schemas']['Parameter'];
export type Preferences = components['schemas']['Preferences'];
export type PreferencesChange = components['schemas']['PreferencesChange'];
export type Preview = components['schemas']['Preview'];
export type PreviewRequest = components['schemas']['PreviewRequest'];
export type PreviewSample = components['schemas']['PreviewSample'];
export type PreviewTotal = components['schemas']['PreviewTotal'];
export type PreviewWarning = components['schemas']['PreviewWarning'];
export type PrivacyFilter = components['schemas']['PrivacyFilter'];
export type PrivacyRule = components['schemas']['PrivacyRule'];
export type Problem = components['schemas']['Problem'];
export type ProgramText = components['schemas']['ProgramText'];
export type ProvenBucket = components['schemas']['ProvenBucket'];
export type ProvenSums = components['schemas']['ProvenSums'];
export type QueryAnswer = components['schemas']['QueryAnswer'];
export type QueryCheck = components['schemas']['QueryCheck'];
export type QueryExplanation = components['schemas']['QueryExplanation'];
export type QueryFault = components['schemas']['QueryFault'];
export type QueryLines = components['schemas']['QueryLines'];
export type QueryRequest = components['schemas']['QueryRequest'];
export type RangeAnswer = components['schemas']['RangeAnswer'];
export type Ready = components['schemas']['Ready'];
export type RedactionPreview = components['schemas']['RedactionPreview'];
export type RedactionRequest = components['schemas']['RedactionRequest'];
export type RehostRequest = components['schemas']['RehostRequest'];
export type Rehosted = components['schemas']['Rehosted'];
export type RemovedAnnotation = components['schemas']['RemovedAnnotation'];
export type RemovedDemoBucket = components['schemas']['RemovedDemoBucket'];
export type RemovedEvent = components['schemas']['RemovedEvent'];
export type RenameRequest = components['schemas']['RenameRequest'];
export type Renamed = components['schemas']['Renamed'];
export type RenamedHost = components['schemas']['RenamedHost'];
export type ReportTemplate = components['schemas']['ReportTemplate'];
export type RestoredSetting = components['schemas']['RestoredSetting'];
export type RetentionRule = components['schemas']['RetentionRule'];
export type RetentionTrial = components['schemas']['RetentionTrial'];
export type RetentionView = components['schemas']['RetentionView'];
export type Row = components['schemas']['Row'];
export type RuleEffect = components['schemas']['RuleEffect'];
export type RuleInForce = components['schemas']['RuleInForce'];
export type RuleMatch = components['schemas']['RuleMatch'];
export type Sample = components['schemas']['Sample'];
export type SearchAnswer = components['schemas']['SearchAnswer'];
export type SearchHit = components['schemas']['SearchHit'];
export type Series = components['schemas']['Series'];
export type ServerSetting = components['schemas']['ServerSetting'];
export type SessionView = components['schemas']['SessionView'];
export type SettingChangeView = components['schemas']['SettingChangeView'];
export type SettingHistory = components['schemas']['SettingHistory'];
export type SheetColumn = components['schemas']['SheetColumn'];
export type SheetDay = components['schemas']['SheetDay'];
export type SheetEntry = components['schemas']['SheetEntry'];
export type SheetRules = components['schemas']['SheetRules'];
export type SheetTotals = components['schemas']['SheetTotals'];
export type SignIn = components['schemas']['SignIn'];
export type SignInCode = components['schemas']['SignInCode'];
export type Signature = components['schemas']['Signature'];
export type SignedInBrowser = components['schemas']['SignedInBrowser'];
export type Space = components['schemas']['Space'];
export type SplitEvent = components['schemas']['SplitEvent'];
export type SplitRequest = components['schemas']['SplitRequest'];
export type StarterSet = components['schemas']['StarterSet'];
export type StatedCategory = components['schemas']['StatedCategory'];
export type StatedClassicRule = components['schemas']['StatedClassicRule'];
export type StatedCondition = components['schemas']['StatedCondition'];
export type StatedRedaction = components['schemas']['StatedRedaction'];
export type StatedRule = components['schemas']['StatedRule'];
export type StatedRules = components['schemas']['StatedRules'];
export type StatementReport = components['schemas']['StatementReport'];
export type Statistics = components['schemas']['Statistics'];
export type StoreProof = components['schemas']['StoreProof'];
export type StreamBucket = components['schemas']['StreamBucket'];
export type StreamGoal = components['schemas']['StreamGoal'];
export type StreamHello = components['schemas']['StreamHello'];
export type StreamMessage = components['schemas']['StreamMessage'];
export type StreamRevision = components['schemas']['StreamRevision'];
export type StreamSetting = components['schemas']['StreamSetting'];
export type Suggestion = components['schemas']['Suggestion'];
export type SuggestionSample = components['schemas']['SuggestionSample'];
export type Suggestions = components['schemas']['Suggestions'];
export type Summary = components['schemas']['Summary'];
export type SurveyedBucket = components['schemas']['SurveyedBucket'];
export type TheirDatabase = components['schemas']['TheirDatabase'];
export type TimelineAnswer = components['schemas']['TimelineAnswer'];
export type Timesheet = components['schemas']['Timesheet'];
export type Totals = components['schemas']['Totals'];
export type TrashItem = components['schemas']['TrashItem'];
export type Undone = components['schemas']['Undone'];
export type Welcome = components['schemas']['Welcome'];
export type WorkAnswer = components['schemas']['WorkAnswer'];
export type WorkHours = components['schemas']['WorkHours'];
export type WorkTime = components['schemas']['WorkTime'];
export type YearSpace = components['schemas']['YearSpace'];
export type ResponseBucketExists = components['responses']['BucketExists'];
export type ResponseMalformed = components['responses']['Malformed'];
export type ResponseQueryError = components['responses']['QueryError'];
export type ResponseUnauthorised = components['responses']['Unauthorised'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseGone = components['responses']['Gone'];
export type ResponseStale = components['responses']['Stale'];
export type ResponseTooLarge = components['responses']['TooLarge'];
export type ResponseWrongType = components['responses']['WrongType'];
export type ResponseInvalid = components['responses']['Invalid'];
export type ResponseTooMany = components['responses']['TooMany'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderRevision = components['headers']['Revision'];
export type HeaderETag = components['headers']['ETag'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type $defs = Record<string, never>;
export interface operations {
    get_info: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description host, version, mode and device */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Info"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
        };
    };
    get_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description it takes them */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_log: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogRecord"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_own_server: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description addresses, files and settings */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnServer"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    prove_store: {
        parameters: {
            query: {
                /** @description what to answer: 32 to 128 random hexadecimal digits */
                nonce: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the proof */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreProof"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
        };
    };
    get_welcome: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what is here, what was found, and who records */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Welcome"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    start_migration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MigrationRequest"];
            };
        };
        responses: {
            /** @description the job that migrates */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    start_demo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DemoRequest"];
            };
        };
        responses: {
            /** @description the job that makes it */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    remove_demo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what was removed, and what undoes it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemoRemoved"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_buckets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description bucket id to bucket */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: components["schemas"]["BucketView"];
                    };
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the bucket */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BucketView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    update_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BucketChange"];
            };
        };
        responses: {
            /** @description done, and committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBucket"];
            };
        };
        responses: {
            /** @description done, and committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            304: components["responses"]["BucketExists"];
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done, and committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    rename_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameRequest"];
            };
        };
        responses: {
            /** @description the bucket under its new id */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Renamed"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    merge_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeRequest"];
            };
        };
        responses: {
            /** @description what went over */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Merged"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    rehost_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RehostRequest"];
            };
        };
        responses: {
            /** @description the bucket at its new host */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rehosted"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_aliases: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description in order of their ids */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alias"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    remove_alias: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the alias: any text, percent-encoded */
                alias: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what brings it back */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AliasRemoved"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_events: {
        parameters: {
            query?: {
                /** @description only events that end at this time or later */
                start?: string;
                /** @description only events that begin at this time or earlier */
                end?: string;
                /** @description only the newest so many; negative means all */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the events */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventView"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    insert_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventBody"][] | components["schemas"]["EventBody"];
            };
        };
        responses: {
            /** @description the events as stored, with their ids */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventView"][] | components["schemas"]["EventView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    count_events: {
        parameters: {
            query?: {
                /** @description only events that end at this time or later */
                start?: string;
                /** @description only events that begin at this time or earlier */
                end?: string;
            };
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description how many */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": number;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    get_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the event's id, as the server gave it */
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the event */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    delete_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the event's id, as the server gave it */
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description whether it existed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    send_heartbeat: {
        parameters: {
            query: {
                /** @description seconds: the longest gap to the last event that still extends it */
                pulsetime: number;
            };
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeartbeatBody"];
            };
        };
        responses: {
            /** @description the event as stored */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    read_event: {
        parameters: {
            query?: {
                /** @description what to tell besides, with commas between: category, notes */
                include?: string;
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the event's id, as the server gave it */
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the event */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventInContext"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    remove_event: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the event's id, as the server gave it */
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the event as it was */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedEvent"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Stale"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    change_event: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the event's id, as the server gave it */
                event_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventPatch"];
            };
        };
        responses: {
            /** @description the event as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedEvent"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    split_event: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the event's id, as the server gave it */
                event_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SplitRequest"];
            };
        };
        responses: {
            /** @description both parts */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SplitEvent"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_selected_events: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventSelector"];
            };
        };
        responses: {
            /** @description what was deleted, or would be */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEvents"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description only events that end after this time, or begin at it or later */
                start?: string;
                /** @description only events that begin before this time */
                end?: string;
                /** @description `field:op:value`, where `op` is `is` or `has`; given several times, all must hold */
                filter?: string[];
                /** @description which come first; `newest` by itself */
                order?: "newest" | "oldest";
                /** @description at most so many, up to 1,000; 100 by itself */
                limit?: number;
                /** @description goes on where the page that told it has ended */
                cursor?: string;
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description some events, and the cursor for more */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    run_query: {
        parameters: {
            query?: {
                /** @description what `NAME` holds in the program */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryLines"];
            };
        };
        responses: {
            /** @description the results, one for each period */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (Record<string, never> | unknown[] | string | number | boolean | null)[];
                };
            };
            400: components["responses"]["QueryError"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    run_query_with_statistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryRequest"];
            };
        };
        responses: {
            /** @description the results, and what they took */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"];
                };
            };
            400: components["responses"]["QueryError"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    check_query: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProgramText"];
            };
        };
        responses: {
            /** @description whether it can be run */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryCheck"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    explain_query: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryRequest"];
            };
        };
        responses: {
            /** @description statement by statement */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryExplanation"];
                };
            };
            400: components["responses"]["QueryError"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_functions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every function */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signature"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    search: {
        parameters: {
            query: {
                /** @description what to search for */
                q: string;
                /** @description where the range begins; with `end`, or `period` instead */
                start?: string;
                /** @description the moment before which the range ends */
                end?: string;
                /** @description a range by its name; `today` where nothing is said */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only this bucket, by its id; may be repeated */
                bucket?: string[];
                /** @description what makes events one hit: the same data (`value`, where it is left out), the same title, address, domain or app; `none`: every event is a hit */
                group?: "app" | "domain" | "none" | "title" | "url" | "value";
                /** @description `rank`, where it is left out: much time first, and of old time less; `recent`, `oldest`, `time` or `count` */
                sort?: "count" | "oldest" | "rank" | "recent" | "time";
                /** @description the next page: what the page before has given */
                cursor?: string;
                /** @description at most so many hits, never more than 500; 50 where it is left out */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the hits, and figures about all of them */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchAnswer"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_summary: {
        parameters: {
            query?: {
                /** @description the fields to make lists of, with commas between them: category, app, title, domain, url, project, device, bucket. `category` where it is left out */
                by?: string;
                /** @description keys of each list at most; 100 by itself */
                limit?: number;
                /** @description with the range before, the same a year ago, what is typical (the median of the last four such ranges), or one of your own. If the range is not over, only the same elapsed part of the other counts */
                compare?: "custom" | "previous" | "typical" | "year";
                /** @description with `compare=custom`: where that range begins */
                compare_start?: string;
                /** @description with `compare=custom`: the moment before which it ends */
                compare_end?: string;
                /** @description where the range begins; with `end`, or `period` instead */
                start?: string;
                /** @description the moment before which the range ends */
                end?: string;
                /** @description a range by its name; `today` where nothing is said */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time of which this holds, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include`: time away from the device counts, too */
                away?: "exclude" | "include";
                /** @description `off`: what was recorded, and nothing else */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description totals, and a list for each field */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_series: {
        parameters: {
            query?: {
                /** @description `day` where it is left out */
                bin?: "5m" | "day" | "hour" | "month" | "week" | "weekhour";
                /** @description whose keys; `category` where it is left out */
                by?: "app" | "bucket" | "category" | "device" | "domain" | "project" | "title" | "url";
                /** @description keys by themselves; 12 where it is left out */
                top?: number;
                /** @description with the range before, the same a year ago, what is typical (the median of the last four such ranges), or one of your own. If the range is not over, only the same elapsed part of the other counts */
                compare?: "custom" | "previous" | "typical" | "year";
                /** @description with `compare=custom`: where that range begins */
                compare_start?: string;
                /** @description with `compare=custom`: the moment before which it ends */
                compare_end?: string;
                /** @description where the range begins; with `end`, or `period` instead */
                start?: string;
                /** @description the moment before which the range ends */
                end?: string;
                /** @description a range by its name; `today` where nothing is said */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time of which this holds, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include`: time away from the device counts, too */
                away?: "exclude" | "include";
                /** @description `off`: what was recorded, and nothing else */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description seconds for each key and bin */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_timesheet: {
        parameters: {
            query?: {
                /** @description what the columns are; `category` where it is left out */
                by?: "app" | "category" | "label" | "project" | "title";
                /** @description `json` where it is left out */
                format?: "csv" | "html" | "json";
                /** @description how times are rounded; `none` where it is left out */
                round?: "down" | "nearest" | "none" | "up";
                /** @description what they are rounded to: `15m` by itself */
                to?: string;
                /** @description whether each entry is rounded, or the day; `entry` by itself */
                per?: "day" | "entry";
                /** @description entries shorter than this are left out: `2m`, for example */
                least?: string;
                /** @description gaps shorter than this count: `5m`, for example */
                gaps?: string;
                /** @description what an hour costs */
                rate?: string;
                /** @description what an hour of some keys costs; of a category, also of those below it */
                rates?: string;
                /** @description stands behind amounts */
                currency?: string;
                /** @description above the sheet */
                title?: string;
                /** @description whether the labels of a day are listed; `on` by itself */
                notes?: "off" | "on";
                /** @description the name of a kept report, which says what is not given here */
                template?: string;
                /** @description where the range begins; with `end`, or `period` instead */
                start?: string;
                /** @description the moment before which the range ends */
                end?: string;
                /** @description a range by its name; `today` where nothing is said */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time of which this holds, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include`: time away from the device counts, too */
                away?: "exclude" | "include";
                /** @description `off`: what was recorded, and nothing else */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the sheet */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timesheet"];
                    "text/csv": string;
                    "text/html": string;
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_reports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description in order of their names */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptReport"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name of a kept report: any text, percent-encoded */
                report: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the report */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    keep_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name of a kept report: any text, percent-encoded */
                report: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportTemplate"];
            };
        };
        responses: {
            /** @description the report */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    remove_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name of a kept report: any text, percent-encoded */
                report: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the report as it was */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    export_bucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description an export document */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    export_all: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description an export document */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    export_events: {
        parameters: {
            query?: {
                /** @description the bucket's id; without it, all */
                bucket?: string;
                /** @description `json` without it */
                format?: "csv" | "json" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description an export document */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    import_documents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Import"];
                "multipart/form-data": {
                    /** Format: binary */
                    "buckets.json"?: string;
                } & {
                    [key: string]: string;
                };
            };
        };
        responses: {
            /** @description what was imported */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_annotations: {
        parameters: {
            query?: {
                /** @description only those that end after this time */
                start?: string;
                /** @description only those that begin before this time */
                end?: string;
                /** @description only those about this host name, or about all */
                device?: string;
                /** @description only those of this kind */
                kind?: "category" | "entry" | "exclude" | "label";
                /** @description where the list before has ended, as it has told */
                cursor?: string;
                /** @description at most so many; 100 where it is left out */
                limit?: number;
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description some of them, and where to go on */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnotationPage"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    create_annotation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAnnotation"];
            };
        };
        responses: {
            /** @description the annotation, and what undoes it */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedAnnotation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_annotation: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the annotation's id, as the server gave it */
                annotation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the annotation */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnotationView"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    delete_annotation: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the annotation's id, as the server gave it */
                annotation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what brings it back */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedAnnotation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["Stale"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    change_annotation: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the annotation's id, as the server gave it */
                annotation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnotationChange"];
            };
        };
        responses: {
            /** @description the annotation as it is now, and what undoes the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedAnnotation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_goals: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every goal */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Goal"][];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    create_goal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGoal"];
            };
        };
        responses: {
            /** @description the goal, with its id */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Goal"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_goals_progress: {
        parameters: {
            query?: {
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description `off`: what was recorded, and nothing else */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description each goal, and time inside and outside the hours of work */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalsAnswer"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_work_hours: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description by weekday */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkHours"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_work_hours: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWorkHours"];
            };
        };
        responses: {
            /** @description by weekday */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkHours"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_goal: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the goal's id, as the server gave it */
                goal_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the goal */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Goal"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    delete_goal: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the goal's id, as the server gave it */
                goal_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the goals that are left */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Goal"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["Stale"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    change_goal: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the goal's id, as the server gave it */
                goal_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GoalChange"];
            };
        };
        responses: {
            /** @description the goal as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Goal"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description key to value */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: Record<string, never> | unknown[] | string | number | boolean | null;
                    };
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_nothing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_setting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the setting's key: any text up to 127 bytes, percent-encoded */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the value, null where it is not set */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never> | unknown[] | string | number | boolean | null;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_setting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the setting's key: any text up to 127 bytes, percent-encoded */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never> | unknown[] | string | number | boolean | null;
            };
        };
        responses: {
            /** @description the value as stored */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never> | unknown[] | string | number | boolean | null;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_setting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the setting's key: any text up to 127 bytes, percent-encoded */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done, and committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_preferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every one of them */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    change_preferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreferencesChange"];
            };
        };
        responses: {
            /** @description every one of them as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_setting_history: {
        parameters: {
            query?: {
                /** @description `own`: Dayline's settings; `client`: those at `/api/0/settings`. `own` by itself */
                of?: "client" | "own";
                /** @description only changes of this setting */
                key?: string;
                /** @description only changes before this one */
                cursor?: number;
                /** @description at most so many; 100 where it is left out */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the changes, the latest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingHistory"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    restore_setting: {
        parameters: {
            query?: {
                /** @description `own`: Dayline's settings; `client`: those at `/api/0/settings`. `own` by itself */
                of?: "client" | "own";
            };
            header?: never;
            path: {
                /** @description the number of the change, as the history tells it */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the setting as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoredSetting"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description who it is */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
        };
    };
    begin_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description who it is now */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done, and committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_sign_in_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the code */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInCode"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    end_other_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description how many there were */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtherSessions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the one used last first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInBrowser"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    end_all_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description how many there were */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtherSessions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    revoke_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the session's id, as the list has it */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the session that has ended */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInBrowser"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    confirm_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the session's id, as the list has it */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the session as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInBrowser"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every key, without its text */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description the key, told once */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeKey"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the key's id, as it stands in its text */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the key as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotate_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the key's id, as it stands in its text */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRotation"];
            };
        };
        responses: {
            /** @description the new key, told once */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeKey"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_audit: {
        parameters: {
            query?: {
                /** @description only lines begun before this one */
                cursor?: number;
                /** @description at most so many lines; 100 where it is left out */
                limit?: number;
                /** @description only calls with the key of this id */
                key?: string;
                /** @description only calls about this bucket */
                bucket?: string;
                /** @description only this call, by its name in the OpenAPI document */
                call?: string;
                /** @description only calls from this address */
                address?: string;
                /** @description only what was refused */
                refused?: boolean;
                /** @description only lines that reach this time */
                since?: string;
                /** @description only lines begun before this time */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description lines of the trail */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    send_enveloped: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/jose": string;
            };
        };
        responses: {
            /** @description the answer, sealed with the same key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/jose": string;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_privacy_rules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every rule, in force or not */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatedRules"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_privacy_rules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrivacyRule"][];
            };
        };
        responses: {
            /** @description every rule as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatedRules"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    preview_redaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedactionRequest"];
            };
        };
        responses: {
            /** @description how much, and samples */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedactionPreview"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    apply_redaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedactionRequest"];
            };
        };
        responses: {
            /** @description what was done, and the id that undoes it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatedRedaction"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_redactions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description latest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatedRedaction"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    undo_redaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the redaction's id, as apply has told it */
                redaction_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the redaction as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatedRedaction"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    make_redaction_final: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the redaction's id, as apply has told it */
                redaction_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the redaction as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatedRedaction"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what is wrong, if anything */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    list_devices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the one that recorded last first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceView"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    list_backups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the backups, the newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupList"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    make_backup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the backup */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    verify_backup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the backup's name, as the list has it */
                backup: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the backup */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_findings: {
        parameters: {
            query?: {
                /** @description the bucket to look at; without it, all */
                bucket?: string;
                /** @description what to look for, with commas between; without it, everything */
                kinds?: string;
                /** @description a gap has to be longer than this; 30 without it */
                gap_minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what was found */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Findings"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    mend_findings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MendRequest"];
            };
        };
        responses: {
            /** @description what was done, and what undoes it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mended"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_trash: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrashItem"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    empty_trash: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description how much there was */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Emptied"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    remove_from_trash: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description what undoes it, as the header `Undo-Id` or the trash has told */
                undo_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description how much there was */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Emptied"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    restore_from_trash: {
        parameters: {
            query?: {
                /** @description what to do where a deleted bucket was made again: merge both, as by default, or answer 409 */
                conflict?: "merge" | "refuse";
            };
            header?: never;
            path: {
                /** @description what undoes it, as the header `Undo-Id` or the trash has told */
                undo_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what was undone */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    undo_act: {
        parameters: {
            query?: {
                /** @description what to do where a deleted bucket was made again: merge both, as by default, or answer 409 */
                conflict?: "merge" | "refuse";
            };
            header?: never;
            path: {
                /** @description what undoes it, as the header `Undo-Id` or the trash has told */
                undo_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what was undone */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    start_import: {
        parameters: {
            query?: {
                /** @description 1: only tell what would happen */
                dry_run?: "0" | "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Import"];
                "multipart/form-data": {
                    /** Format: binary */
                    "buckets.json"?: string;
                } & {
                    [key: string]: string;
                };
            };
        };
        responses: {
            /** @description with `dry_run=1`: what the import would do */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportSurvey"];
                };
            };
            /** @description the job that imports it */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the jobs, the newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_job: {
        parameters: {
            query?: {
                /** @description how long to wait for its end */
                wait_s?: number;
            };
            header?: never;
            path: {
                /** @description the job's id, as its start has told it */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the job */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the job's id, as its start has told it */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the job as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_space: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description bytes per bucket, per year and for everything else */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_retention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every rule, in order */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_retention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetentionRule"][];
            };
        };
        responses: {
            /** @description every rule as it is now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    preview_retention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetentionTrial"];
            };
        };
        responses: {
            /** @description each bucket that a rule matches */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownsamplingPreview"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    apply_retention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description each bucket that a rule matches */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownsampledBucket"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_compaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what is being done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    compact_database: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what was done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compacted"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_now: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every device, the one that was heard of last first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NowAnswer"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    list_bucket_states: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description every bucket */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BucketStates"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_timeline: {
        parameters: {
            query?: {
                /** @description where the range begins; with `end`, or `period` instead */
                start?: string;
                /** @description the moment before which the range ends */
                end?: string;
                /** @description a range by its name; `today` where nothing is said */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time of which this holds, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include`: time away from the device counts, too */
                away?: "exclude" | "include";
                /** @description `off`: what was recorded, and nothing else */
                annotations?: "off" | "on";
                /** @description the width of a lane, and so how many pieces it has at most; 1200 by itself */
                px?: number;
                /** @description `bucket`, which is meant where it is left out: one for each bucket; `device`: the active time of each device; else the id of a bucket, and may be repeated */
                lanes?: string[];
                /** @description what pieces show: `category`, or any field of the data, `domain` among them; where it is left out, what suits the type of each bucket */
                color?: string;
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the lanes, those of one device together */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelineAnswer"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_stream: {
        parameters: {
            query?: {
                /** @description what to hear of; may be repeated; where it is left out, everything */
                topic?: ("bucket" | "goal" | "job" | "now" | "revision" | "settings")[];
                /** @description the same, for clients that cannot send the header */
                last_event_id?: string;
                /** @description 0: only what was missed, and what is in front; the answer ends there */
                follow?: "0" | "1";
            };
            header?: {
                /** @description the last id that was heard: what came after it is sent first */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description messages, until either side ends it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 1000
                     *
                     *     id: 5f0c2f6d3ab1e744-12
                     *     event: hello
                     *     data: {"resumed":false,"version":"1.0.0","revision":1790000000000000}
                     *
                     *     id: 5f0c2f6d3ab1e744-13
                     *     event: bucket
                     *     data: {"id":"aw-watcher-window_laptop","change":"recorded"}
                     *
                     *     : ping
                     */
                    "text/event-stream": components["schemas"]["StreamMessage"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_categories: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all of them, in order */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Categories"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_categories: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CategoriesChange"];
            };
        };
        responses: {
            /** @description all of them as they are now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCategories"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_category_versions: {
        parameters: {
            query?: {
                /** @description only versions before this one */
                cursor?: number;
                /** @description at most so many; 100 where it is left out */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the latest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CategoryVersions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_category_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the number of the version, as the list of versions tells it */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all of them as they were then */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Categories"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    restore_category_version: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the number of the version, as the list of versions tells it */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all of them as they are now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCategories"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["Stale"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    explain_category: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExplainRequest"];
            };
        };
        responses: {
            /** @description the rule that decides, and the others */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    preview_categories: {
        parameters: {
            query?: {
                /** @description where the range begins; with `end`, or `period` instead */
                start?: string;
                /** @description the moment before which the range ends */
                end?: string;
                /** @description a range by its name; `today` where nothing is said */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time of which this holds, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include`: time away from the device counts, too */
                away?: "exclude" | "include";
                /** @description `off`: what was recorded, and nothing else */
                annotations?: "off" | "on";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description seconds that move, samples and warnings */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    suggest_categories: {
        parameters: {
            query?: {
                /** @description at most so many; 20 by itself */
                limit?: number;
                /** @description where the range begins; with `end`, or `period` instead */
                start?: string;
                /** @description the moment before which the range ends */
                end?: string;
                /** @description a range by its name; `today` where nothing is said */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description the day that the period is around; today where it is left out */
                date?: string;
                /** @description the time zone of days; that of the preferences, else UTC */
                tz?: string;
                /** @description when days begin; as in the preferences */
                day_start?: string;
                /** @description the day on which weeks begin; as in the preferences */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time of which this holds, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include`: time away from the device counts, too */
                away?: "exclude" | "include";
                /** @description `off`: what was recorded, and nothing else */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of what the client has; the answer is 304 where it is the same */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the largest groups first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            /** @description the client has it already, as it is */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    ignore_suggestion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IgnoredSuggestion"];
            };
        };
        responses: {
            /** @description all that are ignored */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IgnoredSuggestions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_starters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a few sets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StarterSet"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    export_categories: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a document that import takes */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CategoryDocument"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    import_categories: {
        parameters: {
            query?: {
                /** @description `merge` where it is left out */
                mode?: "merge" | "replace";
                /** @description tell what would be done, and do nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description the ETag of what the client has read; the answer is 412 where it has changed */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>[] | components["schemas"]["NewCategoryDocument"];
            };
        };
        responses: {
            /** @description what has become of each category */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CategoryImport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_pages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description names, sorted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
        };
    };
}
