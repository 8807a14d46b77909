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
         * Identify the server
         * @description Clients call this first to check whether a server is running.
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
         * Check whether the server is ready
         * @description 503 while the server is stopping or cannot write to its database; use another server of that database then.
         *
         *     Use `/api/0/info` to check whether the process is running.
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
         * @description The records since the start, up to the latest thousand.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
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
         * Show how the server runs
         * @description Change settings in their file, the environment or the command line, and restart the server.
         *
         *     No value is a secret: keys and passphrases are in files, and `settings` only has their paths.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
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
         * @description The `dayline` command calls this before it sends anything else.
         *
         *     It sends its token only to the server that wrote the token file and still serves the same database. The proof is for
         *     the address and port that the command is connected to, so that no other program can pass it on.
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
         * Show what a new server can start with
         * @description Looks for ActivityWatch databases in their default folders, for the user that runs this server.
         *
         *     The databases are only read. `POST /api/1/migrations` imports one; `POST /api/1/demo` creates demo data. `found` is
         *     empty for a tenant's key.
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
         * Import a database of an ActivityWatch server
         * @description Imports buckets, events and settings of a database that `GET /api/1/welcome` lists. Other paths are rejected.
         *
         *     The source is only read, and its server may keep running. Existing events are skipped, so you can run it again to
         *     import what is new. At the end both databases are summed up independently: see `proof` in the job's `result`. If you
         *     cancel the job, it moves the buckets that it created to the trash and removes the settings that it set.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
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
         * Create demo data
         * @description Generates demo activity on a laptop, a desktop and a phone, and sets categories if none are set.
         *
         *     The demo has its own buckets, so you can remove it with `DELETE /api/1/demo` without touching recorded data. The
         *     body is optional. The job's progress counts days.
         */
        post: operations["start_demo"];
        /**
         * Remove the demo data
         * @description Moves the demo's buckets to the trash, and removes its categories if they are unchanged.
         *
         *     It is one operation: undoing it restores the buckets, and the categories if none are set by then. A demo job that
         *     is still running is canceled first. Recorded data is not touched.
         */
        delete: operations["remove_demo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether this computer is recorded
         * @description Whether Dayline's own watcher records the computer that the server runs on, and why not if it does not.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        get: operations["get_recording"];
        /**
         * Record this computer, or stop
         * @description Starts or stops the watcher at once, and stores the setting `watch.enabled` in the settings file.
         *
         *     It cannot be turned on if there is no desktop session, or one that Dayline cannot observe: then nothing is changed,
         *     and the response says what is missing. Only this computer can change it: who uses it must know that it is recorded.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        put: operations["change_recording"];
        post?: never;
        delete?: never;
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
         * @description Without their events. Returns `{}` if there are no buckets.
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
         * @description Its fields and the time range of its events, without the events.
         */
        get: operations["get_bucket"];
        /**
         * Change a bucket's fields
         * @description Changes only the given fields; `data` is replaced as a whole.
         */
        put: operations["update_bucket"];
        /**
         * Create a bucket
         * @description Watchers call this on every start: an existing bucket does not change, and the response is 304.
         *
         *     The host name `!local` is replaced by that of the server's computer; `data` then contains its device id. The body
         *     may have up to 64 KiB.
         */
        post: operations["create_bucket"];
        /**
         * Delete a bucket and its events
         * @description Heartbeats to the bucket fail afterwards, until it is created again.
         *
         *     The bucket and its events move to the trash; use the header `Undo-Id` to restore them.
         */
        delete: operations["delete_bucket"];
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
         * List the buckets with the state of their watchers
         * @description Each bucket with its size and whether its watcher is recording, silent or quiet.
         *
         *     Silent means that nothing arrived for three times as long as its usual interval while its device was active, or that
         *     all watchers of a device that should record have stopped. Days start as set in the preferences. Sizes are measured
         *     in the background.
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
         * @description Changes only the id, in constant time.
         *
         *     With `alias` (the default), every call also accepts the old id, so watchers and queries that use it keep working.
         *     Lists show the bucket once, under its new id.
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
         * @description Moves all its events to the other bucket, with new ids. Existing events are skipped, as in an import.
         *
         *     The bucket itself moves to the trash, and its id becomes an alias of the other, so its watcher keeps recording
         *     there. Recording continues during the merge. Undo removes the moved events from the other bucket and restores this
         *     one. With `dry_run` nothing is changed, and the response shows what would be.
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
         * Set the host of a bucket
         * @description Use this when a computer was renamed, so that its history stays in one bucket.
         *
         *     If the id ends with the old host name, the bucket is renamed too, and the old id becomes an alias. If a bucket with
         *     the new id already exists, the call merges into it if `merge` is true, and fails otherwise.
         */
        post: operations["set_bucket_host"];
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
         * List bucket aliases
         * @description In order of their ids. Aliases are created when a bucket is renamed, merged or moved to another host.
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
         * @description A watcher that still uses the alias has to create its own bucket afterwards.
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
         * @description Events that end at `start` or later and begin at `end` or earlier, clipped to that range.
         *
         *     A clipped event has a later timestamp or a shorter duration than the stored one. Events that begin at the same time
         *     are in the order of their ids.
         */
        get: operations["get_events"];
        put?: never;
        /**
         * Insert events, or replace those with an id
         * @description Send a list and get a list, or one event and get one. Either all events are stored, or none.
         *
         *     An event without an id is inserted, even if it overlaps or repeats another. An event with an id replaces the event
         *     with that id, or is inserted with it if that event was deleted. An id of another bucket is an error, and so is one
         *     that was not assigned yet or that a merge in progress has reserved. Events that a privacy rule drops are left out of
         *     the list; a single one is returned as it was sent, with the id `null`. A key with scope `append` may not send ids.
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
         * @description The number of events that `GET …/events` returns for the same `start` and `end`.
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
         * @description The event as it is stored, without clipping.
         */
        get: operations["get_event"];
        put?: never;
        post?: never;
        /**
         * Delete an event of a bucket
         * @description Returns 200 even if there was no such event; see `success`.
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
         * Extend the last event, or start a new one
         * @description A heartbeat reports that a state continues.
         *
         *     If its data equals that of the bucket's last event, and it begins at most `pulsetime` seconds after that event's
         *     end, the last event is extended. Otherwise a new event is created. The response is sent when the change is on disk.
         *     A heartbeat that a privacy rule drops is returned as it was sent, with the id `null`.
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
         * Get an event
         * @description Returns the event unclipped, with its bucket and device.
         *
         *     Send its ETag as `If-Match` with a change to make sure that no other client has changed the event. A heartbeat that
         *     extends the last event of a bucket does not count as a change. With `include` the response has its category and
         *     the annotations that overlap it; `POST /api/1/categories/explain` explains the category.
         */
        get: operations["read_event"];
        put?: never;
        post?: never;
        /**
         * Delete an event
         * @description Moves the event to the trash; `undo` restores it. With `If-Match`, only if the event still has that ETag.
         */
        delete: operations["remove_event"];
        options?: never;
        head?: never;
        /**
         * Change an event
         * @description Changes only the given fields: the start, the end or the duration, or the whole data.
         *
         *     With `If-Match`, it changes the event only if it still has that ETag; otherwise the response is 412 with the current
         *     event. Privacy rules apply to the new data.
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
         * @description Splits an event into two with the same data. The first keeps the id and ends where the second starts.
         *
         *     It is one operation: `undo` joins them again, even if heartbeats have extended the second one since.
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
         * @description Deletes every event of a bucket that matches all given conditions. With `dry_run` it only counts them.
         *
         *     It is one operation with one `undo`. Recording continues while it runs. An event that changes while it runs is not
         *     deleted.
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
         * List the events of a bucket
         * @description Pages of unclipped events that overlap the time from `start` to `end`.
         *
         *     A cursor continues after the last event of its page, whatever was inserted or deleted since: no event is returned
         *     twice, and none that existed throughout is missing. With a filter, a page can have fewer events than `limit`, or
         *     none, and still have a cursor.
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
         * @description Returns the value of `RETURN` for each period, in order. If one period fails, the query fails.
         *
         *     The lines are joined with newlines. Each period runs independently.
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
         * Run a query with statistics
         * @description Like `POST /api/0/query/`, with statistics, the output of `print`, and your own limits.
         *
         *     The server's settings limit `timeout_s` and `max_result_bytes`.
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
         * @description Parses the program without running it. Returns 200 even if the program has errors.
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
         * Explain the work of a query
         * @description Runs the program and reports for each statement and period what it read and how long it took.
         *
         *     Use it to find out why a query is slow: events read from rows instead of segments, and patterns that the fast
         *     matcher does not support. Results are left out.
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
         * @description All functions of the query language with their parameters and an example, for completion and documentation.
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
         * Search events
         * @description Searches titles, URLs and all other strings in event data; without a range, all time.
         *
         *     Words match by prefix, `"quoted text"` matches exactly, `-word` excludes. Case and accents are ignored. Operators:
         *     `app: title: url: domain: bucket: device: type: after: before: on: dur>2m dur<10s`.
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
         * Get the totals of a range
         * @description Totals of a range, and for each field of `by` the keys with the most time.
         *
         *     Time on two devices at once counts once, for the device whose window became active last. Only `by=device` counts it
         *     for both, and `overlap` is the amount counted twice.
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
         * Get the time per hour, day, week or month
         * @description The seconds of each bin: for the largest keys of `by`, for all others together, and in total.
         *
         *     Bins follow the days and hours of the time zone: a day on which the clocks are set back has 25 hours. Events are
         *     split at the edges of bins.
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
         * @description A row for each day with time, and a column for each category, project, app, title or label.
         *
         *     An entry is the time of one key on one day. Rounding applies to the whole day, whose entries share the rounded time
         *     in whole steps, or to each entry; then `warning` has what that adds to the total. Amounts are computed from the
         *     rounded time. `format` returns CSV, or a page for printing. A `template` is a saved report; parameters that you send
         *     override it.
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
         * List the saved reports
         * @description In order of their names, each with its parameters.
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
         * Get a saved report
         * @description A saved report with its parameters. `GET /api/1/reports/timesheet?template=…` runs it.
         */
        get: operations["get_report"];
        /**
         * Save a report
         * @description Saves a report under this name, and replaces an existing one. The settings history has the previous version.
         */
        put: operations["save_report"];
        post?: never;
        /**
         * Delete a saved report
         * @description Deletes a saved report and returns it. The settings history still has it.
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
         * @description The whole bucket as a file for `POST /api/0/import`.
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
         * @description All buckets as a file for `POST /api/0/import`, streamed at any size.
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
         * Export a bucket or everything as JSON, CSV or NDJSON
         * @description Newest first, without ids, at any size. `json` is a document for `POST /api/0/import`.
         *
         *     CSV has the columns bucket, host, type, start, end, duration in seconds, app, title, url, and all data as JSON; a
         *     text that a spreadsheet would treat as a formula starts with an apostrophe. NDJSON has the bucket, timestamp,
         *     duration and data of an event on each line. Events that begin after the export started are left out.
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
         * @description Send JSON, or a form with one or more files.
         *
         *     Events are merged into existing buckets: an event with the same time, duration and data is skipped, so sending a
         *     document twice changes nothing. Event ids are ignored. Invalid events are left out and counted; an invalid document
         *     changes nothing. Privacy rules apply, and the events that they drop are counted.
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
         * List annotations
         * @description The annotations that overlap the time from `start` to `end`, the latest first, whether on or off.
         *
         *     Events in their bucket that are not valid annotations are left out.
         */
        get: operations["list_annotations"];
        put?: never;
        /**
         * Create an annotation
         * @description Recorded events do not change. The annotation counts in summaries and reports; you can turn it off or undo it.
         *
         *     It is stored as an event of the bucket `dayline-annotations`, which is created with the first one.
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
         * @description Send its ETag as `If-Match` when you change it.
         */
        get: operations["get_annotation"];
        put?: never;
        post?: never;
        /**
         * Delete an annotation
         * @description Moves it to the trash. To keep it without effect, set `is_on` to false. `If-Match` works as in a change.
         */
        delete: operations["delete_annotation"];
        options?: never;
        head?: never;
        /**
         * Change an annotation or turn it off
         * @description Changes only the given fields. With `If-Match`, only if the annotation still has that ETag.
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
         * @description In order of creation, including goals that are turned off.
         */
        get: operations["list_goals"];
        put?: never;
        /**
         * Create a goal
         * @description A target or a limit per day, week or month. See the changes with `/api/1/settings/history?key=goals`.
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
         * Show the progress of goals
         * @description The progress of each goal in the day, week or month of `date`, compared with the pace needed to reach it.
         *
         *     Goals that are turned off are left out. A key that is limited to some buckets gets no goals, because they cover all
         *     buckets.
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
         * Get the work hours
         * @description Time outside the work hours is overtime. A goal can limit it, and `/api/1/goals/progress` shows it.
         */
        get: operations["get_work_hours"];
        /**
         * Set the work hours
         * @description Replaces all work hours; `{}` removes them.
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
         * @description Send its ETag as `If-Match` when you change it.
         */
        get: operations["get_goal"];
        put?: never;
        post?: never;
        /**
         * Delete a goal
         * @description Returns the remaining goals. You can restore the goal from the history of the setting.
         */
        delete: operations["delete_goal"];
        options?: never;
        head?: never;
        /**
         * Change a goal or turn it off
         * @description Changes only the given fields. With `If-Match`, only if the goal still has that ETag.
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
         * @description All keys with their values; `{}` if there are none.
         */
        get: operations["list_settings"];
        put?: never;
        /**
         * Reject a setting without a key
         * @description Always an error: the path must have a key.
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
         * @description The value of a key that is not set is `null`; that is not an error.
         */
        get: operations["get_setting"];
        put?: never;
        /**
         * Set a setting
         * @description Any JSON value, including `null`, `false` and empty ones, is stored as it is.
         *
         *     The server validates only `privacy_filters`: an invalid list of rules is rejected, and the rules in force stay. The
         *     setting `classes`, the categories, may be anything; Dayline's additional fields stay.
         */
        post: operations["set_setting"];
        /**
         * Delete a setting
         * @description Returns 200 even if it was not set.
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
         * @description All preferences, with defaults for those that are not set.
         */
        get: operations["get_preferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change preferences
         * @description Changes only the given fields, all or none of them; `null` resets a field to its default.
         *
         *     The previous values stay in the history.
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
         * List changes of settings
         * @description Changes of Dayline's settings, or with `of=client` of those at `/api/0/settings`.
         *
         *     Changes of settings other than the preferences, such as the privacy rules, are shown only to keys of scope `full`.
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
         * Restore an earlier value of a setting
         * @description Sets the setting to the value of this change, or removes it if the change removed it.
         *
         *     The restore is a new entry in the history.
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
         * Show whether this browser is signed in
         * @description A page uses this to decide whether to show the sign-in form.
         */
        get: operations["get_session"];
        put?: never;
        /**
         * Sign this browser in
         * @description Sets a cookie that scripts cannot read. Requests need the cookie, and the `secret` in the header `X-Dayline`.
         *
         *     Browsers send a cookie to every port of a host, and so to servers of other users. If you sign in from the server's
         *     computer, only your own user and root can use the session, where the system reports the user of a connection.
         */
        post: operations["begin_session"];
        /**
         * Sign this browser out
         * @description Signs this browser out. Succeeds even if it was not signed in.
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
         * Create a one-time sign-in code
         * @description `dayline open` uses this: it puts the code into the fragment of a link, which logs and proxies do not see.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        post: operations["create_sign_in_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/session/tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a ticket for a download
         * @description For downloads: a link cannot send the header `X-Dayline`. Add `ticket=` to its query within a minute.
         *
         *     The ticket works once, for this browser only.
         */
        post: operations["create_ticket"];
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
         * @description Signs out every browser except the one that sends the request. A tenant's key affects only that tenant.
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
         * @description Browsers that are currently signed in. A tenant's key lists only those of that tenant.
         */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        /**
         * Sign all browsers out
         * @description Signs out every browser, including the one that sends the request. A tenant's key affects only that tenant.
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
         * @description The browser is signed out at once. The key that it signed in with stays valid.
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
         * @description Removes the sign-in from the health report. Later sign-ins from the same address are not reported either.
         *
         *     A browser whose own sign-in is not confirmed yet cannot do this: use another browser, a key or the command line.
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
         * @description In order of creation, including revoked and expired keys. Secrets are not stored and cannot be listed.
         *
         *     On a database with several tenants, a tenant's key lists only the keys of that tenant.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Create a key
         * @description The response contains the key's secret. Store it: it is not shown again.
         *
         *     `append` may create its buckets, send heartbeats and insert events; `read` may read and query; `sync` may store the
         *     encrypted files of devices that sync through this server, and nothing else; `full` may do everything. A key with
         *     `buckets` can access only those. With `envelope` it may also send enveloped calls. On PostgreSQL, `tenant` names the
         *     tenant whose data the key opens; only an administrator may name another tenant.
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
         * @description The key stops working at once, and browsers that signed in with it are signed out. It stays in the list.
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
         * Rotate a key
         * @description Creates a key with the same name, scope and buckets, and revokes the old one now or after `grace_s`.
         *
         *     A limited lifetime starts again. The response contains the key's secret. Store it: it is not shown again.
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
         * Read the audit log
         * @description Reads and writes are counted per day, caller, address, call, bucket and status; rejected calls per hour.
         *
         *     Each destructive call has its own line.
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
         * Send an encrypted call
         * @description The body and the response are each a JWE in compact form. The status of the inner call is in the encrypted
         *     response.
         *
         *     The encrypted call has a method, path, query, body, time and nonce. The server rejects a call if its time differs
         *     from the server's clock by more than five minutes, and a change if its nonce was used before.
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
         * @description The rules of the setting `privacy_filters` first, then Dayline's own, each in order.
         */
        get: operations["get_privacy_rules"];
        /**
         * Replace Dayline's own privacy rules
         * @description Replaces all of Dayline's own rules. The setting `privacy_filters` does not change.
         *
         *     The rules apply to every event that arrives after the response. If one rule is invalid, the whole list is rejected.
         *     Stored events do not change; see `POST /api/1/privacy/preview` and `POST /api/1/privacy/apply`.
         */
        put: operations["set_privacy_rules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/privacy/rule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the rule that never records something
         * @description The rule that never records an app, a site with its subdomains, or titles that contain a text.
         *
         *     Nothing is changed: add it with `PUT /api/1/privacy/rules`, and apply it to stored events with
         *     `POST /api/1/privacy/apply`.
         */
        get: operations["get_plain_rule"];
        put?: never;
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
         * Preview a redaction of stored events
         * @description How many events each rule would change or drop in each bucket, with the longest examples.
         *
         *     Without `rules`, it previews the rules in force. Nothing is changed.
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
         * Redact stored events
         * @description Changes and drops stored events as the rules would have done when the events arrived.
         *
         *     Recording continues while it runs. It does not cover events that arrive while it runs; the rules in force do. You
         *     can undo a redaction until it is made final.
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
         * @description The newest first. A redaction in state `applying` or `undoing` is still running, and resumes after a restart.
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
         * @description Restores the id, time and data of every event that it changed or dropped, unless the event was changed since.
         *
         *     The latest redaction must be undone first.
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
         * @description Overwrites the originals on disk: in the database, its log and all derived files. This cannot be undone.
         *
         *     The earliest redaction must be made final first.
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
         * Check the server's health
         * @description Always 200 while the server answers: `degraded` means that something needs attention, not that it is down.
         *
         *     A device or watcher that should record and has stopped is a problem of kind `watcher`. A sign-in from a new address
         *     is a problem of kind `sign-in` until it is confirmed or the session is revoked; only callers with scope `full` see
         *     it. So is a device that has joined the sync space, of kind `sync`, until it is confirmed or removed.
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
         * List the devices that have recorded
         * @description Devices are identified by the host name of their buckets.
         *
         *     A renamed computer appears twice. `looks_like` names the other one if the same watchers stopped under one name and
         *     started under another soon after. A computer that replaced an older one looks the same.
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
         * @description Every backup was verified when it was created: unpacked, checked, and compared with the database at that time.
         *
         *     `last_failure` is the error of the last attempt, or `null` if it succeeded.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        get: operations["list_backups"];
        put?: never;
        /**
         * Create and verify a backup
         * @description Recording continues while the backup runs. The response is sent when the backup is complete and verified.
         *
         *     The backup continues if the client disconnects. Expired backups are deleted afterwards.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        post: operations["make_backup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/backups/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the backup schedule
         * @description Applies the schedule at once, and stores it in the settings file.
         *
         *     Only this computer can change it: a stolen key must not reduce the number of backups.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        put: operations["change_backup_schedule"];
        post?: never;
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
         * @description Unpacks the backup, checks it, and compares it with the recorded contents of its database. Stores the result.
         *
         *     A damaged backup is a 200 with the state `failed`. An encrypted backup needs the key in the settings.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
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
         * Find problems in the data
         * @description For each kind and bucket: how many events and how much time are affected, examples, and what a fix would do.
         *
         *     The kinds are `duplicates` (same start, duration and data), `overlaps` of a second or more, `negative` durations,
         *     `future` events (more than a day ahead), `zero_length` events that the next event makes redundant, and `gaps`: times
         *     without an event in a bucket while other buckets of its host have some. Buckets of browsers, editors and stopwatches
         *     have events only while those are in use; their gaps are reported only if `bucket` names one. A bucket or kind that
         *     is not in the response has no findings.
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
         * Fix one kind of finding
         * @description Fixes one kind, in one bucket or in all, in short steps while recording continues.
         *
         *     With `dry_run` nothing is changed, and the response shows what would be. Otherwise the response has an `undo` for
         *     each bucket, which is valid until the trash expires. Overlaps are fixed only in buckets with one state at a time
         *     (windows, tabs, away status). Gaps cannot be fixed.
         */
        post: operations["fix_findings"];
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
         * List the trash
         * @description The newest first. Each entry expires at its time `until`; it cannot be undone afterwards.
         */
        get: operations["list_trash"];
        put?: never;
        post?: never;
        /**
         * Empty the trash permanently
         * @description Deletes the entries permanently, including their data in the file. Redactions in the trash become final.
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
         * Delete an entry of the trash permanently
         * @description Deletes the entry permanently, including its data in the file.
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
         * Restore an entry of the trash
         * @description The same as `POST /api/1/undo/{undo_id}`.
         */
        post: operations["restore_from_trash"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/undo/groups/{group}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a group of operations
         * @description Undoes all operations that were made with the same header `Undo-Group`, the latest first.
         *
         *     If one cannot be undone, the later ones stay undone, and the response is its error.
         */
        post: operations["undo_group"];
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
         * Undo an operation
         * @description Restores ids, times, data and metadata exactly as they were, all or nothing.
         *
         *     The id comes from the header `Undo-Id` or the field `undo` of the call to undo, or from `GET /api/1/trash`. If the
         *     same data was changed again since, undo the later change first. If a deleted bucket was created again since, both
         *     are merged; with `conflict=refuse` the response is 409 instead.
         */
        post: operations["undo_operation"];
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
         * Start an import, or preview it
         * @description Accepts what `/api/0/import` does, and in a form also databases of ActivityWatch and archives of Dayline.
         *
         *     The response is sent once the server has received all of it. A single database becomes a job of the kind
         *     `migration`, which also imports settings and proves that nothing is missing. Of an archive, buckets and events are
         *     imported. Poll `GET /api/1/jobs/{id}` for the result. The import continues if the client disconnects. With
         *     `dry_run=1` nothing is changed; the response shows for each bucket how many events are new, already exist, are
         *     invalid or are dropped by privacy rules, whether the bucket is new, and which of its fields differ (the stored ones
         *     stay).
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
         * @description Running jobs and the last fifty finished ones, the newest first. The list is empty after a restart.
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
         * Get a job
         * @description With `wait_s` the response is sent when the job ends, or after that many seconds.
         */
        get: operations["get_job"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description Stops the job; `error` describes what remains. A finished job does not change.
         *
         *     What an import has stored remains. A migration or demo job moves the buckets that it created to the trash, but keeps
         *     new events in buckets that existed before or have recorded since.
         */
        delete: operations["cancel_job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of sync
         * @description The result of the last pass: which devices are identical, what is missing, what was rejected and why.
         */
        get: operations["get_sync"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a sync space
         * @description Creates a space, publishes this device there, and answers with the invite for other devices.
         *
         *     A folder is created if only it is missing, not its parent.
         *
         *     On a database with several tenants, the location for those with a name is `this-server`.
         *
         *     If this device is in that space already, everything is published again: for a folder that was emptied, or with
         *     another key of the server.
         */
        post: operations["start_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show the devices of a sync space
         * @description The devices of a space that the invite opens. Nothing is written.
         */
        post: operations["preview_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join a sync space
         * @description Publishes this device in a space, and mirrors the others. The response is sent when both are done.
         */
        post: operations["join_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync now
         * @description Publishes what has changed here, and applies what others have published. The server does this every
         *     4 minutes with a folder, every minute with WebDAV, and every 5 seconds with a Dayline server.
         *
         *     Folders of ActivityWatch are read as well, which the server does every minute.
         */
        post: operations["run_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare all events with what is published
         * @description The same, with the digests of all events computed again: of this device, and of every mirror.
         */
        post: operations["verify_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge a restored database with what it has published
         * @description For a database that was restored from a backup: publishing stops, because it is older than what it has published.
         *
         *     Published events win, up to the restore; events that were recorded later are added. Undo it with
         *     `POST /api/1/undo/groups/{group}`. If the response is lost, send it again with a new `Idempotency-Key`.
         */
        post: operations["recover_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/devices/{device}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the mirrors of a device buckets of this one
         * @description For a device that is gone: its mirrors become buckets of this one, or their events are added to those that have
         *     the same type and the plain id. The events get new ids. Other devices have them from this one then.
         *
         *     With `dry_run` nothing is changed, and the response shows what would
         *     be. Undo it with `POST /api/1/undo/groups/{group}`.
         */
        post: operations["adopt_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/devices/{device}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a device that has joined
         * @description A device that has joined after this one is new, and a problem in the health report, until it is confirmed here.
         *     Its buckets are mirrored in the meantime. If it is not yours, remove it.
         */
        post: operations["confirm_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/devices/{device}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a device from the sync space
         * @description Gives the space a new key, which all other devices get, and publishes with it from then on.
         *
         *     What is published later cannot be read by the device, nor with an invite that was shown before. Its mirrors stay,
         *     and can be adopted, unless `delete_mirrors` is true; send it again to delete them later. The response is sent when a
         *     pass is done.
         */
        post: operations["remove_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the invite of the sync space
         * @description Anyone with the invite can read everything that is synced.
         */
        get: operations["get_invite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the sync space
         * @description Nothing in the space changes: other devices keep their mirrors of this one. Mirrors here are deleted.
         *
         *     With `new_identity`, this device becomes another one of the same space: for the copy of a disk, whose original is
         *     the device that it was before. It publishes its buckets again.
         */
        post: operations["leave_sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the folders of ActivityWatch
         * @description The sync folders of aw-sync and aw-android whose devices are mirrored here.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        get: operations["list_sync_sources"];
        put?: never;
        /**
         * Mirror a folder of ActivityWatch
         * @description Mirrors the devices in the sync folder of aw-sync or aw-android, read-only, from now on.
         *
         *     Repeated events are stored once. The folder is never written to, and nothing that is missing in it is deleted here.
         *     Sync need not be on, and other devices do not get these mirrors. The response is sent when the files have been read.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        post: operations["add_sync_source"];
        /**
         * Stop mirroring a folder of ActivityWatch
         * @description Stops reading a folder. Its mirrors stay, read-only, until this is called with `delete_mirrors`.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        delete: operations["remove_sync_source"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices that store files here
         * @description The devices that store files here, with tags that change with their files.
         *
         *     The ETag changes with any of them, so a device that has the current list gets a 304.
         */
        get: operations["list_sync_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/files/{device}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a device
         * @description Empty for a device that stores none.
         */
        get: operations["list_sync_packs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/sync/files/{device}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a device
         * @description The server cannot decrypt it.
         */
        get: operations["get_sync_file"];
        /**
         * Store a file of a device
         * @description Adds or replaces a file of at most 32 MiB. It is on disk when the response is sent; until then, readers get the
         *     old one. All files together may have `limits.sync_mib` MiB.
         */
        put: operations["put_sync_file"];
        post?: never;
        /**
         * Delete a file of a device
         * @description Succeeds also if there is none.
         */
        delete: operations["delete_sync_file"];
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
         * Show the disk usage
         * @description Bytes per bucket, per year, and for everything else. The parts of `database` add up to its `file`.
         *
         *     Measured while recording continues; a response may be some seconds old. On PostgreSQL it is an estimate for the
         *     caller's tenant.
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
         * @description There are no rules by default: no events are downsampled.
         */
        get: operations["get_retention"];
        /**
         * Replace the retention rules
         * @description Replaces all rules; an empty list turns retention off. This call does not change any event.
         *
         *     The server applies the rules once a day, and when you call `POST /api/1/retention/apply`: events older than `days`
         *     are rearranged within a quarter of an hour, so that equal ones become one. The active time of every quarter, and its
         *     time per app, title, category, domain and device, stay the same.
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
         * Preview the effect of retention rules
         * @description The number of events now and afterwards, for each bucket that a rule matches. Nothing is changed.
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
         * @description Downsamples now instead of at the next daily run. The `undo` of each bucket is valid until the trash expires.
         *
         *     Recording continues while it runs. Downsampling continues if the client disconnects.
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
         * Show the progress of compaction
         * @description `idle` if none is running; `last` is the result of the last one.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
         */
        get: operations["get_compaction"];
        put?: never;
        /**
         * Reclaim unused disk space
         * @description Deletes values that no event references, returns free pages to the file system and truncates the log.
         *
         *     Recording continues while it runs. Compaction continues if the client disconnects.
         *
         *     On a database with several tenants, keys with a `tenant` cannot call this.
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
         * Show the current activity of each device
         * @description The current activity of each device, or the last one if the device is not recording: see `is_recording`.
         *
         *     The response does not wait for a category that takes long to compute: it is null then, and `is_settled` is false.
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
    "/api/1/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a timeline in lanes
         * @description Merged on the server to at most `px` segments per lane, so that a year draws as fast as an hour.
         *
         *     If a lane has no more events than that, its segments are the events themselves, with their ids. Times are in
         *     microseconds from the start of the range; `key` and `cat` are indexes into `keys` and `categories`.
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
    "/api/1/timeline/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of a range
         * @description Active time of all devices together, grouped so that a day has about twenty entries.
         *
         *     A session is time in one category, or in one app if no rule matches it. Interruptions of less than two minutes
         *     are part of it.
         */
        get: operations["get_sessions"];
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
         * Stream changes
         * @description Server-sent events; each is a StreamMessage. See docs/reference/stream.md.
         *
         *     The first message is `hello`. If its `resumed` is true, all messages after the last id follow. If you sent an id and
         *     `resumed` is false, `reset` follows: the missed messages are not available any more, so read everything again. A key
         *     receives what it may read; a key that is limited to some buckets receives only `now` and `bucket` for those. A
         *     comment is sent after 15 seconds without a message. A client that reads too slowly is disconnected, and can
         *     reconnect with the last id.
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
         * @description All categories, in order, from the setting `classes` and Dayline's additional fields.
         *
         *     Send the `ETag` as `If-Match` with a change. `faults` lists invalid rules that another program has written; the
         *     other rules stay in force.
         */
        get: operations["get_categories"];
        /**
         * Replace the categories and their rules
         * @description Replaces all categories, also in the setting `classes` for ActivityWatch clients.
         *
         *     With `If-Match`, only if they have not changed since; otherwise the response is 412 with the author and time of the
         *     last change. The whole list is rejected if one rule is invalid, or if a new regular expression is too slow on the
         *     titles of the last 12 months. Every change is a version; restore the previous one to undo it.
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
         * @description Who changed the categories, when and why, including changes of the setting `classes` by other programs.
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
         * Get a version of the categories
         * @description The categories of that version.
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
         * @description Restores the categories of that version, as a new version.
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
         * Explain a category
         * @description The rule that decides, the field and text it matched, and the other matching rules with why they lost.
         *
         *     Explain an event (`bucket` and `id`), together with the other active events of its device; data that you send
         *     (`data`, and the `type` of the bucket); or the activity at a time (`at`, and `device` if there are several). A key
         *     that is limited to some buckets gets no patterns, and cannot use `data`.
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
         * Preview changed rules
         * @description What a changed rule set would move in a range: seconds by category, samples and warnings.
         *
         *     Send the whole rule set. Nothing is changed. An invalid rule is rejected with its position, as when you save it. A
         *     rule that is too slow is skipped, with a warning.
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
         * Suggest categories for uncategorized time
         * @description The largest groups of uncategorized time: by app, by domain, by a word of the title.
         *
         *     Each has a condition that would match it and a name for a category. Ignored suggestions are left out.
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
         * Ignore a suggestion, or show it again
         * @description Hides a suggestion by its id, or shows it again with `is_ignored` false.
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
         * List starter sets of categories
         * @description Starter sets of categories. Import one, or copy parts of it.
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
         * @description All categories with all their fields, as a document that you can import here or on another server.
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
         * @description Accepts an exported document, the value of the setting `classes`, or `{"categories": [...]}`.
         *
         *     `merge` (the default) adds new categories and replaces those with the same path; `replace` removes all others. With
         *     `dry_run` it only shows what it would do. The history shows the `comment`.
         */
        post: operations["import_categories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the projects and their rules
         * @description All projects, in order. Send the `ETag` as `If-Match` when you change them.
         */
        get: operations["get_projects"];
        /**
         * Replace the projects and their rules
         * @description Replaces all projects. With `If-Match`, only if they have not changed since.
         *
         *     The whole list is rejected if one rule is invalid, or if a new regular expression is too slow on the titles of the
         *     last 12 months. Earlier versions are in the settings history: `/api/1/settings/history?key=projects`.
         */
        put: operations["set_projects"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/1/projects/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview changed projects
         * @description The time of each project in a range if these were the projects. Nothing is changed.
         */
        post: operations["preview_projects"];
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
         * List your pages
         * @description The names of the folders in the settings. Each is served at `/pages/<name>/`.
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
         * ActivitySession
         * @description Time spent on one thing, with interruptions of less than two minutes.
         */
        ActivitySession: {
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
            /** @description seconds of active time in it */
            active: number;
            /** @description the app with the most time in its category */
            app: string | null;
            /** @description the title with the most time in that app */
            title: string | null;
            /** @description the path of the category, from the root */
            category: string[];
            /** @description the device with the most time; null for entries without a device */
            device: string | null;
            /** @description which of `app` and `title` are truncated to 4,000 bytes */
            truncated: string[];
        };
        /**
         * AdoptedBucket
         * @description A mirror, and the bucket of this device that gets its events.
         */
        AdoptedBucket: {
            /** @description the id of the mirror */
            bucket: string;
            /** @description the id of the bucket that gets its events */
            into: string;
            /** @description whether that bucket is created; otherwise the events are added to it */
            is_new: boolean;
            /** @description how many events the mirror has */
            events: number;
        };
        /**
         * Adopting
         * @description Whether to adopt, or to show what that would do.
         */
        Adopting: {
            /**
             * @description whether nothing is changed
             * @default false
             */
            dry_run: boolean;
        };
        /**
         * Adoption
         * @description What was adopted, or would be. All of it is undone with the undo group.
         */
        Adoption: {
            /**
             * @description identifies the device
             * @example k7f3q2ab
             */
            device: string;
            /** @description the name of the device */
            name: string;
            /** @description its mirrors, and what becomes of them */
            buckets: components["schemas"]["AdoptedBucket"][];
            /** @description how many events the mirrors have */
            events: number;
            /** @description undoes all of it: POST /api/1/undo/groups/{group}; null if nothing was changed */
            group: string | null;
        };
        /**
         * Alias
         * @description Another id of a bucket.
         */
        Alias: {
            /** @description identifies it; never reused */
            id: string;
            /** @description the bucket's own id */
            bucket: string;
            /**
             * Format: date-time
             * @description when it was made
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
            /** @description the host name of the device */
            device?: string | null;
            /**
             * @description the note on the span of time
             * @example Stand-up
             */
            label?: string;
            /** @description the path of the category, from the root */
            category?: string[] | null;
            /** @description free text */
            note?: string;
            /** @description whether it counts */
            is_on?: boolean;
        };
        /**
         * AnnotationPage
         * @description A page of annotations, latest start first. `cursor` leads to earlier ones; null if there are none.
         */
        AnnotationPage: {
            /** @description annotations in the range, or whether they count */
            annotations: components["schemas"]["AnnotationView"][];
            /** @description pass it to get the next page; null on the last one */
            cursor: string | null;
        };
        /**
         * AnnotationView
         * @description An annotation as clients see it. A disabled one stays, without effect.
         */
        AnnotationView: {
            /** @description identifies it; never reused */
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
            /** @description the host name of the device */
            device: string | null;
            /** @description the note on the span of time */
            label: string;
            /** @description the path of the category, from the root */
            category: string[] | null;
            /** @description a longer text */
            note: string;
            /** @description whether it counts */
            is_on: boolean;
        };
        /**
         * AuditLine
         * @description Calls of one kind, counted together: per day, errors per hour. Each destructive call has its own line.
         *
         *     `who` is `open` if the server requires no key, `nobody` if the caller sent none, else the kind of sign-in and the
         *     key id.
         */
        AuditLine: {
            /** @description its number; larger ones are later */
            number: number;
            /**
             * Format: date-time
             * @description when it happened first
             * @example 2026-02-03T08:15:31.250Z
             */
            first: string;
            /**
             * Format: date-time
             * @description when it happened last
             * @example 2026-02-03T08:15:31.250Z
             */
            last: string;
            /** @description how many there are */
            count: number;
            /** @description who made the requests */
            who: string;
            /** @description the id of the key; null without one */
            key_id: string;
            /** @description the name of the key; null without one */
            key_name: string;
            /** @description the address that the requests came from */
            address: string;
            /** @description the operation that was requested */
            call: string;
            /** @description the id of the bucket */
            bucket: string;
            /** @description the status, or the HTTP status of the response */
            status: number;
        };
        /**
         * AuditPage
         * @description Lines of the audit log, the one with the latest `last` first. Pass `cursor` to get the next page; `null` means
         *     the last page. A page can exceed `limit` if several lines ended at the same time.
         */
        AuditPage: {
            /** @description the lines, the newest first */
            lines: components["schemas"]["AuditLine"][];
            /** @description pass it to get the next page; null on the last one */
            cursor: number | null;
        };
        /**
         * BackgroundWork
         * @description Work that the server does in the background. `failing`: the last run failed, and it is retried.
         *
         *     `last_run` is when it last began; `next_run` is null while it runs and if it waits to be needed. `failures` counts
         *     the failed runs in a row, and `last_error` is the cause of the last one.
         */
        BackgroundWork: {
            /** @description the name, or the path of a category */
            name: string;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "failing" | "running" | "waiting";
            /** @description when it ran last */
            last_run: string | null;
            /** @description when it runs next; null if that is not known */
            next_run: string | null;
            /** @description why it failed last; null if it did not */
            last_error: string | null;
            /** @description failures since the last success */
            failures: number;
        };
        /**
         * BackupFailureView
         * @description The last attempt, if it failed.
         */
        BackupFailureView: {
            /**
             * Format: date-time
             * @description when it happened
             * @example 2026-02-03T08:15:31.250Z
             */
            when: string;
            /** @description what happened, in one sentence */
            message: string;
        };
        /**
         * BackupList
         * @description The backups, the newest first, the folder they are in, and when they are created.
         */
        BackupList: {
            /** @description the folder of the backups */
            folder: string;
            /** @description when backups are created, and how many are kept */
            schedule: components["schemas"]["BackupSchedule"];
            /** @description the backups, the newest first */
            backups: components["schemas"]["BackupView"][];
            /** @description the last backup that failed; null if none did */
            last_failure: components["schemas"]["BackupFailureView"] | null;
        };
        /**
         * BackupSchedule
         * @description The schedule of automatic backups. All of the last 24 hours and the newest good one are always kept.
         */
        BackupSchedule: {
            /** @description back up the database automatically when it has changed */
            enabled: boolean;
            /**
             * @description hours between two backups
             * @example 24
             */
            interval_hours: number;
            /**
             * @description days of which the last backup is kept
             * @example 7
             */
            keep_daily: number;
            /**
             * @description weeks of which the last backup is kept
             * @example 4
             */
            keep_weekly: number;
            /**
             * @description months of which the last backup is kept
             * @example 12
             */
            keep_monthly: number;
        };
        /**
         * BackupView
         * @description A backup. If the state is `failed`, it was good once and is damaged now; `problem` describes the damage.
         *
         *     The contents of an encrypted backup are null if the server does not have its key.
         */
        BackupView: {
            /** @description the name, or the path of a category */
            name: string;
            /**
             * Format: date-time
             * @description when it was made
             * @example 2026-02-03T08:15:31.250Z
             */
            made: string;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "failed" | "verified";
            /** @description the size in bytes */
            bytes: number;
            /** @description whether the backup is encrypted */
            encrypted: boolean;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: number | null;
            /** @description the events, or how many there are */
            events: number | null;
            /** @description the version of the tables in the backup */
            schema: number | null;
            /** @description what is wrong; null otherwise */
            problem: string | null;
        };
        /**
         * Branch
         * @description A category with everything below it, and the time that is directly in it.
         */
        Branch: {
            /** @description the key, or the value by which time is grouped */
            key: string[];
            /**
             * @description of the category and everything below it
             * @example 5400
             */
            seconds: number;
            /**
             * @description of the category itself
             * @example 5400
             */
            own: number;
            /** @description share of the active time, from 0 to 1 */
            share: number;
            /**
             * @description seconds
             * @example 5400
             */
            prev?: number;
            /**
             * @description seconds
             * @example 5400
             */
            prev_own?: number;
        };
        /**
         * Breaks
         * @description Gaps of more than a minute without any active time, between the first and the last time of a day.
         */
        Breaks: {
            /** @description how many there are */
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
            /** @description the type: for buckets, what their events are about */
            type?: string;
            /** @description the name of the program that records */
            client?: string;
            /** @description the host name of the device */
            hostname?: string;
            /** @description a JSON object with the content */
            data?: Record<string, never>;
        };
        /**
         * BucketEffect
         * @description The effect of a rule in one bucket: the number of distinct data objects, of events, and their total duration.
         */
        BucketEffect: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description distinct data objects */
            values: number;
            /** @description the events, or how many there are */
            events: number;
            /** @description the length in seconds */
            seconds: number;
        };
        /**
         * BucketRange
         * @description From the first event's start to the last event's end.
         */
        BucketRange: {
            /** @description the start (inclusive) */
            start: string | null;
            /** @description the end (exclusive) */
            end: string | null;
        };
        /**
         * BucketRead
         * @description Where the events of one read of a bucket came from.
         */
        BucketRead: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description packed months that were read */
            segments: number;
            /** @description events that were read from packed months */
            segment_events: number;
            /** @description events that were read from rows */
            row_events: number;
        };
        /**
         * BucketSpace
         * @description Disk space of one bucket: its events with their share of the indexes, and its distinct values.
         */
        BucketSpace: {
            /** @description identifies it; never reused */
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
         * @description A bucket, its size, and the state of its watcher.
         */
        BucketState: {
            /** @description identifies it; never reused */
            id: string;
            /** @description its host name */
            device: string;
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description the name of the program that records */
            client: string;
            /**
             * Format: date-time
             * @description when it was created
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            /** @description whether it has demo data, which `DELETE /api/1/demo` removes */
            is_demo: boolean;
            /** @description start of the first event; null if there is none */
            first: string | null;
            /** @description latest end of an event */
            last: string | null;
            /** @description the events, or how many there are */
            events: number;
            /** @description disk space at the last measurement; null before the first one */
            bytes: number | null;
            /** @description other ids of the bucket */
            aliases: string[];
            /** @description number of events that started on each of the last 30 days, today last */
            spark: number[];
            /**
             * @description silent: it records nothing, although its device is in use or is expected to be; quiet: nothing is expected of it
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
            /** @description when it last recorded something, if it is silent */
            silent_since: string | null;
            /** @description usual longest silence in seconds; null if it is unknown */
            usual_interval: number | null;
        };
        /**
         * BucketStates
         * @description All buckets in order of creation. `this_device` is the host name of the computer that the server runs on.
         */
        BucketStates: {
            /** @description the host name of the server's computer */
            this_device: string;
            /** @description of all buckets */
            events: number;
            /** @description of all buckets; null before the first measurement */
            bytes: number | null;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: components["schemas"]["BucketState"][];
            /** @description the one that recorded last first */
            devices: components["schemas"]["DeviceState"][];
        };
        /**
         * BucketView
         * @description A bucket as clients see it. `last_updated` is the end of its newest event; events are in exports only.
         */
        BucketView: {
            /** @description identifies it; never reused */
            id: string;
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description the name of the program that records */
            client: string;
            /** @description the host name of the device */
            hostname: string;
            /**
             * Format: date-time
             * @description when it was created
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            /** @description a JSON object with the content */
            data: Record<string, never>;
            /** @description fields of the bucket in the format of ActivityWatch */
            metadata: components["schemas"]["BucketRange"];
            /** @description the end of its newest event */
            last_updated: string | null;
            /**
             * @description the events, or how many there are
             * @enum {unknown}
             */
            events: null;
        };
        /**
         * Categories
         * @description All categories, in order. `version` is null if none were set; `faults` are invalid rules.
         */
        Categories: {
            /** @description the version */
            version: components["schemas"]["CategoryVersion"] | null;
            /** @description the categories */
            categories: components["schemas"]["CategoryView"][];
            /** @description the color of each category, in the same order */
            colors: components["schemas"]["DisplayColors"][];
            /** @description rules that cannot be used, and why */
            faults: components["schemas"]["CategoryFault"][];
        };
        /**
         * CategoriesChange
         * @description All categories, in order. They replace the existing ones.
         */
        CategoriesChange: {
            /** @description the categories */
            categories: components["schemas"]["NewCategory"][];
            /**
             * @description reason for the change, for the history
             * @default
             */
            comment: string;
        };
        /**
         * CategoryDocument
         * @description A complete rule set.
         */
        CategoryDocument: {
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "dayline.categories";
            /**
             * @description the version
             * @enum {unknown}
             */
            version: 1;
            /** @description the categories */
            categories: components["schemas"]["CategoryView"][];
        };
        /**
         * CategoryFault
         * @description An invalid rule; other rules still apply. `category` is its index in the list, from 0.
         */
        CategoryFault: {
            /** @description the path of the category, from the root */
            category: number;
            /** @description the name, or the path of a category */
            name: string[];
            /** @description index of the condition, from 0; null: the classic rule */
            condition: number | null;
            /** @description what happened, in one sentence */
            message: string;
            /** @description position of the error in the pattern, in characters from 0 */
            position: number | null;
        };
        /**
         * CategoryImport
         * @description What an import changed, or would change with `dry_run`. `version` is the new version.
         *
         *     Restore the version `previous` to undo it.
         */
        CategoryImport: {
            /** @description the categories */
            categories: components["schemas"]["ImportedCategory"][];
            /** @description whether nothing was changed */
            is_dry_run: boolean;
            /** @description the version */
            version: components["schemas"]["CategoryVersion"] | null;
            /** @description the previous version; null if there was none */
            previous: number | null;
        };
        /**
         * CategoryVersion
         * @description One version of all categories: who saved it, when and why.
         */
        CategoryVersion: {
            /** @description its number; larger ones are later */
            number: number;
            /**
             * Format: date-time
             * @description when it was changed, or how many events were
             * @example 2026-02-03T08:15:31.250Z
             */
            changed: string;
            /** @description who made the change */
            author: string;
            /** @description why the change was made */
            comment: string;
        };
        /**
         * CategoryVersions
         * @description Versions, the latest first. `cursor` gets the next page; it is `null` on the last one.
         */
        CategoryVersions: {
            /** @description the versions, the latest first */
            versions: components["schemas"]["CategoryVersion"][];
            /** @description pass it to get the next page; null on the last one */
            cursor: number | null;
        };
        /**
         * CategoryView
         * @description A category. `data` has the fields that other programs store in it.
         */
        CategoryView: {
            /** @description identifies it; never reused */
            id: number;
            /** @description the name, or the path of a category */
            name: string[];
            /** @description the rule */
            rule: components["schemas"]["ClassicRuleView"] | null;
            /** @description the rules: time that matches any of them belongs to it */
            conditions: components["schemas"]["ConditionView"][];
            /** @description the higher number wins if several rules match */
            priority: number | null;
            /** @description a color of the palette, or `#rrggbb`; null chooses one */
            color: string | null;
            /** @description whether its time counts without input */
            is_always_active: boolean;
            /** @description a JSON object with the content */
            data: Record<string, never>;
        };
        /**
         * ChangedAnnotation
         * @description An annotation after a change, and its undo number; null if nothing changed.
         */
        ChangedAnnotation: {
            /** @description identifies it; never reused */
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
            /** @description the host name of the device */
            device: string | null;
            /** @description the note on the span of time */
            label: string;
            /** @description the path of the category, from the root */
            category: string[] | null;
            /** @description a longer text */
            note: string;
            /** @description whether it counts */
            is_on: boolean;
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
        };
        /**
         * ChangedCategories
         * @description All categories after a change. Restore the version `previous` to undo it.
         */
        ChangedCategories: {
            /** @description the version */
            version: components["schemas"]["CategoryVersion"] | null;
            /** @description the categories */
            categories: components["schemas"]["CategoryView"][];
            /** @description the color of each category, in the same order */
            colors: components["schemas"]["DisplayColors"][];
            /** @description rules that cannot be used, and why */
            faults: components["schemas"]["CategoryFault"][];
            /** @description the previous version; null if there was none */
            previous: number | null;
        };
        /**
         * ChangedEvent
         * @description The event after the change. `undo` is null if nothing changed.
         */
        ChangedEvent: {
            /** @description the event */
            event: components["schemas"]["EventDetail"];
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
        };
        /**
         * ClassicRuleView
         * @description The classic rule, which all programs know that read the setting `classes`.
         */
        ClassicRuleView: {
            /** @description the regular expression */
            regex: string;
            /** @description whether case does not matter */
            ignore_case: boolean;
            /** @description the keys of the data that are matched; null for all */
            select_keys: string[] | null;
            /** @description the higher number wins if several rules match */
            priority: number | null;
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
            /** @description the length in seconds */
            seconds: number;
        };
        /**
         * Compaction
         * @description Progress of compaction: it deletes unused `values`, then frees empty `pages`, then empties the `log`.
         */
        Compaction: {
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "idle" | "log" | "pages" | "values";
            /** @description how much is finished */
            done: number;
            /** @description number of values or pages in total; 0 if it is unknown */
            of: number;
            /** @description result of the last compaction since the server started */
            last: components["schemas"]["Compacted"] | null;
        };
        /**
         * ComparedRange
         * @description The range that is compared with. With `typical`, times are medians and `range` is the latest of the periods.
         */
        ComparedRange: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description the whole earlier period, if only its elapsed part is compared */
            whole?: components["schemas"]["RangeResponse"];
            /** @description the sums over the range */
            totals: components["schemas"]["Totals"];
            /** @description the keys with the most time of the earlier range */
            lists: {
                [key: string]: components["schemas"]["Row"][];
            };
            /** @description with `typical`: number of earlier periods in the median */
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
            /**
             * @description the value
             * @example docs.python.org
             */
            value: string;
            /**
             * @description whether case does not matter
             * @default true
             */
            ignore_case: boolean;
        };
        /**
         * ConditionView
         * @description A condition with all its fields.
         */
        ConditionView: {
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
            /**
             * @description the value
             * @example docs.python.org
             */
            value: string;
            /** @description whether case does not matter */
            ignore_case: boolean;
        };
        /**
         * CopiedSettings
         * @description Keys that were set, already had that value, kept another value, or were rejected (with the reason).
         */
        CopiedSettings: {
            /** @description the settings that were copied */
            copied: string[];
            /** @description settings that already had the same value */
            same: string[];
            /** @description settings that already had another value and stay */
            kept: string[];
            /** @description settings that were rejected, and why */
            refused: {
                [key: string]: string;
            };
        };
        /**
         * DataFilter
         * @description A field of the data that equals a text, or contains it, ignoring case.
         */
        DataFilter: {
            /**
             * @description the field that the text is in, or that the error is about
             * @example title
             */
            field: string;
            /**
             * @description how field and value are compared
             * @default is
             * @enum {unknown}
             */
            op: "has" | "is";
            /** @description the value */
            value: string;
        };
        /**
         * DeletedEvents
         * @description The deleted events, or with `dry_run` those that would be. `samples` are the longest of them.
         *
         *     `seconds` is the time that is deleted. `cut` is the number of events that are shortened or split; `events` includes
         *     them.
         *
         *     `skipped` counts events that were changed by another client during the deletion, and were kept. `undo` restores all
         *     of them; it is null if there were none.
         */
        DeletedEvents: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description whether nothing was changed */
            dry_run: boolean;
            /** @description the events, or how many there are */
            events: number;
            /** @description seconds, with microsecond precision */
            seconds: number;
            /** @description some examples */
            samples: components["schemas"]["EventView"][];
            /** @description events that were left out */
            skipped: number;
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
            /** @description events that were cut at the edges of the range */
            cut: number;
        };
        /**
         * Deletion
         * @description Whether the event existed.
         */
        Deletion: {
            /** @description always true */
            success: boolean;
        };
        /**
         * DemoRemoved
         * @description What was removed. `undo` has the id of the undo entry that restores it, or is empty if there was no demo.
         */
        DemoRemoved: {
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: components["schemas"]["RemovedDemoBucket"][];
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number[];
            /** @description true if the demo's categories were unchanged and removed */
            has_removed_categories: boolean;
        };
        /**
         * DemoRequest
         * @description How many days of demo data to generate, ending now, and the time zone of its days.
         *
         *     The default time zone is that of the preferences, else of the server.
         */
        DemoRequest: {
            /**
             * @description the number of days, or the days themselves
             * @default 30
             */
            days: number;
            /**
             * @description end with yesterday, the last full day, instead of now
             * @default false
             */
            full_days: boolean;
            /**
             * @description the IANA time zone; null for that of the browser
             * @default null
             */
            time_zone: string | null;
        };
        /**
         * DemoState
         * @description Whether the demo data exists.
         */
        DemoState: {
            /** @description whether there is demo data */
            present: boolean;
            /** @description the events, or how many there are */
            events: number;
        };
        /**
         * DeviceNow
         * @description What a device shows, or showed when it last recorded something. Unknown values are null.
         */
        DeviceNow: {
            /** @description its host name */
            device: string;
            /** @description the name of the program */
            app: string | null;
            /** @description the title of the window, tab or report */
            title: string | null;
            /** @description of the tab, if a browser is active */
            url: string | null;
            /** @description which of `app`, `title` and `url` are truncated to 4,000 bytes */
            truncated: string[];
            /** @description null if no window is known, or while it is computed */
            category: string[] | null;
            /** @description since when this app has been active without a break */
            since: string | null;
            /** @description whether the user is AFK; false if its watchers have stopped */
            away: boolean;
            /** @description since when the device has not been used; null while it is in use */
            away_since: string | null;
            /** @description when one of its watchers last recorded something */
            last_seen: string | null;
            /** @description whether that was just now */
            is_recording: boolean;
            /**
             * @description silent: all its watchers have stopped, although it is expected to record
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
        };
        /**
         * DeviceReport
         * @description Another device after a pass. `identical`: all digests of its newest head are those of its mirrors here.
         *
         *     `adopted`: its buckets are now those of another device. `removed`: it does not have the newest key of the space.
         *     `text` explains every other state. `made` is the time of its
         *     head, and `since` when it got this state.
         */
        DeviceReport: {
            /**
             * @description identifies the device
             * @example k7f3q2ab
             */
            id: string;
            /** @description the name that the device gave itself */
            name: string;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "adopted" | "forked" | "identical" | "rejected" | "removed" | "waiting";
            /** @description why the state is not `identical`; empty otherwise */
            text: string;
            /** @description when its newest head was written; null if it has not been read */
            made: string | null;
            /**
             * Format: date-time
             * @description when it got this state
             * @example 2026-02-03T08:15:31.250Z
             */
            since: string;
            /** @description how many buckets it has */
            buckets: number;
            /** @description how many events it has */
            events: number;
            /** @description packs that its head lists and that are not here yet */
            waiting: number;
            /** @description packs that this pass applied */
            fetched: number;
            /** @description whether it has joined since this device did, and was not confirmed here */
            is_new: boolean;
        };
        /**
         * DeviceState
         * @description Whether a device records.
         */
        DeviceState: {
            /** @description its host name */
            device: string;
            /**
             * @description silent: all its watchers have stopped, although it is expected to record; quiet: nothing is expected of it now
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
            /** @description when one of its watchers last recorded something */
            last: string | null;
        };
        /**
         * DeviceTime
         * @description The active time of one device.
         */
        DeviceTime: {
            /** @description the host name of the device */
            device: string;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
        };
        /**
         * DeviceView
         * @description All buckets with one host name. `first_seen` and `last_seen` are null if there are no events.
         */
        DeviceView: {
            /** @description the host name of the device */
            hostname: string;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: string[];
            /** @description the start of its oldest event */
            first_seen: string | null;
            /** @description the end of its newest event */
            last_seen: string | null;
            /** @description the events, or how many there are */
            events: number;
            /** @description devices that may be the same one under another name */
            looks_like: components["schemas"]["LikelyName"][];
        };
        /**
         * DisplayColors
         * @description The color to display, as `#rrggbb`: in the light and the dark theme, and on terminals of any background.
         */
        DisplayColors: {
            /** @description the color in the light theme, as `#rrggbb` */
            light: string;
            /** @description the color in the dark theme, as `#rrggbb` */
            dark: string;
            /** @description the color on terminals, as `#rrggbb` */
            terminal: string;
        };
        /**
         * DownsampledBucket
         * @description A downsampled bucket: how many fewer events it has, and its undo number; null if nothing changed.
         */
        DownsampledBucket: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description the number of days, or the days themselves */
            days: number;
            /** @description events that were deleted */
            removed: number;
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
        };
        /**
         * DownsamplingPreview
         * @description What downsampling would do to a bucket. `bytes` is about what is freed once the undo entry has expired.
         */
        DownsamplingPreview: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description the number of days, or the days themselves */
            days: number;
            /** @description events now */
            events: number;
            /** @description events afterwards */
            after: number;
            /** @description the size in bytes */
            bytes: number;
        };
        /**
         * Emptied
         * @description The number of deleted undo entries.
         */
        Emptied: {
            /** @description the number of entries */
            items: number;
        };
        /**
         * ErrorBody
         * @description The body of every response except 2xx and 304. A query error has a position, which `excerpt` shows.
         *
         *     If a change was refused because the resource was changed since it was read, `current` is its current state.
         */
        ErrorBody: {
            /** @description what happened, in one sentence */
            message: string;
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description identifies the request in the server's log */
            request_id: string;
            /** @description how to fix it; null if there is nothing to add */
            hint?: string;
            /** @description the field that the text is in, or that the error is about */
            field?: string;
            /** @description the line, from 1 */
            line?: number;
            /** @description the column, or its position from 1 */
            column?: number;
            /** @description what was expected instead */
            expected?: string[];
            /** @description the line of the program with a mark at the error */
            excerpt?: string;
            /** @description the current state, if the request was based on an older one */
            current?: Record<string, never>;
        };
        /**
         * EventBody
         * @description An event to insert; with an `id` it replaces the event with that id.
         */
        EventBody: {
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * @description seconds, with microsecond precision
             * @default 0
             */
            duration: number;
            /**
             * @description a JSON object with the content
             * @default {}
             */
            data: Record<string, never>;
            /**
             * @description identifies it; never reused
             * @default null
             */
            id: number | null;
        };
        /**
         * EventDetail
         * @description An event with its whole duration, and its source.
         *
         *     `is_last`: it is the bucket's last event, which the next heartbeat may extend.
         */
        EventDetail: {
            /** @description identifies it; never reused */
            id: number;
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @description the end (exclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            /** @description a JSON object with the content */
            data: Record<string, never>;
            /** @description the id of the bucket */
            bucket: string;
            /** @description the host name of the bucket */
            device: string;
            /** @description the type of the bucket */
            type: string;
            /** @description whether it is the newest event of the bucket */
            is_last: boolean;
            /**
             * @description the texts that are truncated to 4,000 bytes and end with `…`, each as the keys and list indices that lead to it; `GET /api/0/buckets/{bucket_id}/events/{event_id}` returns them whole
             * @example [
             *       [
             *         "title"
             *       ]
             *     ]
             */
            truncated: (string | number)[][];
        };
        /**
         * EventInContext
         * @description An event, and the related data that `include` requests.
         */
        EventInContext: {
            /** @description identifies it; never reused */
            id: number;
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @description the end (exclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            /** @description a JSON object with the content */
            data: Record<string, never>;
            /** @description the id of the bucket */
            bucket: string;
            /** @description the host name of the bucket */
            device: string;
            /** @description the type of the bucket */
            type: string;
            /** @description whether it is the newest event of the bucket */
            is_last: boolean;
            /**
             * @description the texts that are truncated to 4,000 bytes and end with `…`, each as the keys and list indices that lead to it; `GET /api/0/buckets/{bucket_id}/events/{event_id}` returns them whole
             * @example [
             *       [
             *         "title"
             *       ]
             *     ]
             */
            truncated: (string | number)[][];
            /** @description the category by the rules; null if its type of bucket has none */
            category?: string[] | null;
            /** @description annotations that overlap the event */
            notes?: components["schemas"]["AnnotationView"][];
        };
        /**
         * EventPage
         * @description A page of events. `cursor` leads to the next page; null if there are no more.
         */
        EventPage: {
            /** @description the events, or how many there are */
            events: components["schemas"]["ListedEvent"][];
            /** @description pass it to get the next page; null on the last one */
            cursor: string | null;
        };
        /**
         * EventPatch
         * @description Changes of an event; omitted fields stay. `data` replaces all data.
         *
         *     With `timestamp` alone the event moves and keeps its duration; `end` or `duration` changes it.
         */
        EventPatch: {
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp?: string;
            /** @description seconds */
            duration?: number;
            /**
             * Format: date-time
             * @description the end (exclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            end?: string;
            /** @description a JSON object with the content */
            data?: Record<string, never>;
        };
        /**
         * EventSelector
         * @description The events to delete: those that match all given conditions. With `dry_run` nothing is deleted.
         *
         *     `start` and `end` are a half-open range. `edge` decides which events are in it: `begin`, those that start there;
         *     `touch`, those that overlap it. Both delete whole events. `cut` deletes only the time inside the range: it shortens
         *     events that overlap an edge, and splits one that overlaps both.
         */
        EventSelector: {
            /** @description the id of the bucket */
            bucket: string;
            /**
             * @description the start (inclusive)
             * @default null
             */
            start: string | null;
            /**
             * @description the end (exclusive)
             * @default null
             */
            end: string | null;
            /**
             * @description what happens to events that only partly are in the range
             * @default begin
             * @enum {unknown}
             */
            edge: "begin" | "cut" | "touch";
            /**
             * @description the ids of the events
             * @default null
             */
            ids: number[] | null;
            /**
             * @description a JSON object with the content
             * @default []
             */
            data: components["schemas"]["DataFilter"][];
            /**
             * @description whether nothing was changed
             * @default false
             */
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
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            /** @description a JSON object with the content */
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
             * @description the start (inclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            start: string;
            /**
             * Format: date-time
             * @description the end (exclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @description the length in seconds */
            seconds: number;
            /** @description the first part of its data, as JSON text */
            data: string;
            /** @description its duration in seconds after the fix; null if it is deleted */
            becomes: number | null;
        };
        /**
         * ExplainRequest
         * @description What to explain: an event (`bucket` and `id`), data (`data` and `type`), or what was active at a time (`at`, and
         *     `device` if there are several).
         */
        ExplainRequest: {
            /**
             * @description the id of the bucket
             * @default null
             */
            bucket: string | null;
            /**
             * @description identifies it; never reused
             * @default null
             */
            id: number | null;
            /**
             * @description a JSON object with the content
             * @default null
             */
            data: Record<string, never> | null;
            /**
             * @description the type of the bucket that has such data
             * @default currentwindow
             */
            type: string;
            /**
             * @description the time in question
             * @default null
             */
            at: string | null;
            /**
             * @description the host name of the device
             * @default null
             */
            device: string | null;
        };
        /**
         * Explanation
         * @description A category, the rule that decided it, and the other matching rules, the next best first.
         */
        Explanation: {
            /** @description the path of the category, from the root */
            category: string[];
            /** @description null if no rule matches, or an annotation decides */
            winner: components["schemas"]["RuleMatch"] | null;
            /** @description the rules that also match */
            others: components["schemas"]["RuleMatch"][];
            /** @description the annotation that sets the category */
            annotation: number | null;
            /** @description false if there was no active window at the requested time */
            is_active: boolean;
            /** @description the data that the rules were applied to */
            data: {
                [key: string]: Record<string, never>;
            };
        };
        /**
         * Export
         * @description Buckets by id, each with its events.
         */
        Export: {
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: {
                [key: string]: components["schemas"]["ExportedBucket"];
            };
        };
        /**
         * ExportedBucket
         * @description A bucket with all its events, newest first.
         */
        ExportedBucket: {
            /** @description identifies it; never reused */
            id: string;
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description the name of the program that records */
            client: string;
            /** @description the host name of the device */
            hostname: string;
            /**
             * Format: date-time
             * @description when it was created
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            /** @description a JSON object with the content */
            data: Record<string, never>;
            /** @description fields of the bucket in the format of ActivityWatch */
            metadata: components["schemas"]["BucketRange"];
            /** @description the end of its newest event */
            last_updated: string | null;
            /** @description the events, or how many there are */
            events: components["schemas"]["ExportedEvent"][];
        };
        /**
         * ExportedEvent
         * @description An event without its id, which is valid only on its own server.
         */
        ExportedEvent: {
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            /** @description a JSON object with the content */
            data: Record<string, never>;
        };
        /**
         * Facet
         * @description The share of one device, type or bucket in all hits.
         */
        Facet: {
            /** @description the key, or the value by which time is grouped */
            key: string;
            /** @description the length in seconds */
            seconds: number;
            /** @description how many there are */
            count: number;
        };
        /**
         * Facets
         * @description All hits by device, type and bucket, those with the most time first.
         */
        Facets: {
            /** @description the host name of the device */
            device: components["schemas"]["Facet"][];
            /** @description the type: for buckets, what their events are about */
            type: components["schemas"]["Facet"][];
            /** @description the id of the bucket */
            bucket: components["schemas"]["Facet"][];
        };
        /**
         * FileParts
         * @description The parts of the database, which add up to `file`.
         *
         *     `unused` are values that nothing uses, and `free` are empty pages: compaction reclaims both.
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
            /** @description whether the numbers were counted and not estimated */
            is_exact: boolean;
            /** @description bytes of the database including everything committed */
            file: number;
            /** @description what the space is used for */
            parts: components["schemas"]["FileParts"];
            /** @description largest first, without deleted ones */
            buckets: components["schemas"]["BucketSpace"][];
            /** @description the space by year */
            years: components["schemas"]["YearSpace"][];
        };
        /**
         * Finding
         * @description One kind of problem in one bucket.
         */
        Finding: {
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "duplicates" | "future" | "gaps" | "negative" | "overlaps" | "zero_length";
            /** @description the id of the bucket */
            bucket: string;
            /** @description number of affected events; for gaps, the number of gaps */
            count: number;
            /** @description affected time; for overlaps, the time counted twice */
            seconds: number;
            /** @description the first ones; for gaps, the longest */
            examples: components["schemas"]["Example"][];
            /** @description whether it can be fixed automatically */
            is_mendable: boolean;
            /** @description what the fix does, as text; empty if there is no fix */
            mend: string;
        };
        /**
         * Findings
         * @description What was checked, and what was found. Hosts are checked if all buckets are.
         */
        Findings: {
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: number;
            /** @description the events, or how many there are */
            events: number;
            /** @description the problems that were found in the data */
            findings: components["schemas"]["Finding"][];
            /** @description devices that seem to have been renamed */
            renamed_hosts: components["schemas"]["RenamedHost"][];
        };
        /**
         * FixRequest
         * @description What to fix, and where.
         */
        FixRequest: {
            /**
             * @description which kind it is
             * @enum {unknown}
             */
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
         * FixResult
         * @description What was done, or would be, by bucket.
         */
        FixResult: {
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "duplicates" | "future" | "negative" | "overlaps" | "zero_length";
            /** @description whether nothing was changed */
            dry_run: boolean;
            /** @description events that were deleted */
            removed: number;
            /** @description when it was changed, or how many events were */
            changed: number;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: components["schemas"]["FixedBucket"][];
        };
        /**
         * FixedBucket
         * @description What was done in one bucket, or would be. `skipped` counts events that changed since the check.
         */
        FixedBucket: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description events that were deleted */
            removed: number;
            /** @description when it was changed, or how many events were */
            changed: number;
            /** @description events that were left out */
            skipped: number;
            /** @description the length in seconds */
            seconds: number;
            /** @description some of the events */
            examples: components["schemas"]["Example"][];
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
        };
        /**
         * Focus
         * @description The longest time in one category, or in one app if it has no category.
         *
         *     Interruptions of less than two minutes do not end it, and do not count, as long as they are at most 10 % of it.
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
            /** @description the path of the category, from the root */
            category: string[];
            /** @description the app, if its time has no category */
            app: string | null;
            /** @description number of shorter interruptions */
            interruptions?: number;
            /**
             * @description total time of the shorter interruptions
             * @example 5400
             */
            interrupted?: number;
            /** @description the three longest of them */
            tolerated?: components["schemas"]["FocusInterruption"][];
            /** @description most of the two minutes after it; null if the range or the present ends there */
            ended_by?: components["schemas"]["FocusActivity"] | null;
        };
        /**
         * FocusActivity
         * @description What happened instead: other activity with its category and app, time away, or time without data.
         */
        FocusActivity: {
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "active" | "away" | "nodata";
            /** @description the path of the category, from the root */
            category: string[] | null;
            /** @description the name of the program */
            app: string | null;
        };
        /**
         * FocusInterruption
         * @description An activity that interrupted the focus, and how long it took in total.
         */
        FocusInterruption: {
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "active" | "away" | "nodata";
            /** @description the path of the category, from the root */
            category: string[] | null;
            /** @description the name of the program */
            app: string | null;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
        };
        /**
         * Goal
         * @description A goal. Its id never changes and is not reused.
         */
        Goal: {
            /**
             * @description identifies it; never reused
             * @example 1
             */
            id: number;
            /**
             * @description the name, or the path of a category
             * @example Deep work
             */
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
            /** @description the path of the category, from the root */
            category: string[] | null;
            /** @description the value */
            value: string | null;
            /** @description only time on these days counts; default: all days */
            weekdays: ("friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday")[];
            /**
             * @description `inside`: only time within work hours counts; `outside`: only overtime
             * @enum {unknown}
             */
            hours: "any" | "inside" | "outside";
            /** @description whether it counts */
            is_on: boolean;
        };
        /**
         * GoalChange
         * @description The fields to change.
         */
        GoalChange: {
            /**
             * @description the name, or the path of a category
             * @example Deep work
             */
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
            /** @description the path of the category, from the root */
            category?: string[] | null;
            /** @description the value */
            value?: string | null;
            /** @description only time on these days counts; default: all days */
            weekdays?: ("friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday")[];
            /**
             * @description `inside`: only time within work hours counts; `outside`: only overtime
             * @enum {unknown}
             */
            hours?: "any" | "inside" | "outside";
            /** @description whether it counts */
            is_on?: boolean;
        };
        /**
         * GoalPeriodResponse
         * @description An earlier period of a goal.
         */
        GoalPeriodResponse: {
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
            /** @description whether the goal was reached */
            is_met: boolean;
        };
        /**
         * GoalProgress
         * @description Progress of a goal in the period from `start` to before `end`.
         */
        GoalProgress: {
            /** @description identifies it; never reused */
            id: number;
            /** @description the name, or the path of a category */
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
            /** @description the path of the category, from the root */
            category: string[] | null;
            /** @description the value */
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
            /** @description seconds divided by the target; may exceed 1 */
            share: number;
            /**
             * @description for a target: `reached`, `on_track` or `behind`; for a limit: `within` or `exceeded`; `off` on a day that the goal is not for
             * @enum {unknown}
             */
            state: "behind" | "exceeded" | "off" | "on_track" | "reached" | "within";
            /** @description elapsed share of the period, by when time is usually spent; null if it is over or off */
            pace: number | null;
            /** @description periods in a row in which it was met, up to now */
            streak: number;
            /** @description up to seven previous periods, the earliest first */
            recent: components["schemas"]["GoalPeriodResponse"][];
        };
        /**
         * GoalsResponse
         * @description The enabled goals, in order. `work` is null if no working hours are set.
         */
        GoalsResponse: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description the goals with their progress */
            goals: components["schemas"]["GoalProgress"][];
            /** @description time inside and outside of working hours; null without working hours */
            work: components["schemas"]["WorkResponse"] | null;
        };
        /**
         * HealthView
         * @description `ok`: no problems. `degraded`: it serves and records, but something needs attention.
         *
         *     `background` lists the background work of the server.
         */
        HealthView: {
            /**
             * @description the status, or the HTTP status of the response
             * @enum {unknown}
             */
            status: "degraded" | "ok";
            /** @description what is wrong, the most important first */
            problems: components["schemas"]["Problem"][];
            /** @description the background work of the server */
            background: components["schemas"]["BackgroundWork"][];
        };
        /**
         * HeartbeatBody
         * @description A heartbeat request. `id` is ignored: a heartbeat never names the event it extends.
         */
        HeartbeatBody: {
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * @description seconds, with microsecond precision
             * @default 0
             */
            duration: number;
            /**
             * @description a JSON object with the content
             * @default {}
             */
            data: Record<string, never>;
        };
        /**
         * Highlight
         * @description The matches in one string of the data.
         */
        Highlight: {
            /**
             * @description keys and list indices that lead to the string
             * @example [
             *       "title"
             *     ]
             */
            path: (string | number)[];
            /** @description start and end of each match, in Unicode characters, not UTF-16 units */
            ranges: number[][];
        };
        /**
         * Histogram
         * @description All hits over time. There is one more edge than bins.
         */
        Histogram: {
            /**
             * @description the length of each interval
             * @enum {unknown}
             */
            bin: "5m" | "day" | "hour" | "month" | "week" | "weekhour";
            /** @description the edges of the intervals; one more than there are values */
            edges: string[];
            /** @description the length in seconds */
            seconds: number[];
            /** @description number of events that start in each bin; the first bin includes earlier ones */
            count: number[];
        };
        /**
         * HitEvent
         * @description The latest event of a hit.
         */
        HitEvent: {
            /** @description identifies it; never reused */
            id: number;
            /**
             * Format: date-time
             * @description RFC 3339 with the offset of the zone
             * @example 2026-03-05T04:00:00+01:00
             */
            timestamp: string;
            /** @description the length in seconds */
            duration: number;
        };
        /**
         * HostChange
         * @description A bucket on its new host. `merged` is set if it was merged into a bucket with the new id.
         */
        HostChange: {
            /** @description identifies it; never reused */
            id: string;
            /** @description the previous id */
            former_id: string;
            /** @description the host name of the device */
            hostname: string;
            /** @description the previous host name */
            former_hostname: string;
            /** @description former ids under which watchers still find the bucket */
            aliases: string[];
            /** @description whether what was recorded since was merged into it */
            merged: components["schemas"]["Merged"] | null;
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
        };
        /**
         * IgnoredSuggestion
         * @description A suggestion to hide, or to show again.
         */
        IgnoredSuggestion: {
            /** @description the id of the suggestion */
            id: string;
            /**
             * @description whether the suggestion is dismissed
             * @default true
             */
            is_ignored: boolean;
        };
        /**
         * IgnoredSuggestions
         * @description The ids of hidden suggestions.
         */
        IgnoredSuggestions: {
            /** @description suggestions that were dismissed */
            ignored: string[];
        };
        /**
         * Import
         * @description An export of this or another server. Other fields are ignored.
         */
        Import: {
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: {
                [key: string]: components["schemas"]["ImportedBucket"];
            };
        };
        /**
         * ImportReport
         * @description Result of an import: buckets read, events stored, skipped as duplicates, and left out as invalid.
         *
         *     `dropped` counts the events dropped by privacy rules; unset if there are none.
         */
        ImportReport: {
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: number;
            /** @description events that were imported */
            imported: number;
            /** @description events that were left out */
            skipped: number;
            /** @description events that are not valid and were left out */
            invalid: number;
            /** @description events that privacy rules drop */
            dropped?: number;
        };
        /**
         * ImportSurvey
         * @description What an import would do: events that are new, already stored, invalid, or dropped by privacy rules.
         */
        ImportSurvey: {
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: components["schemas"]["SurveyedBucket"][];
        };
        /**
         * ImportedBucket
         * @description A bucket of any ActivityWatch server. Without an `id` it gets its key in the document.
         */
        ImportedBucket: {
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description the name of the program that records */
            client: string;
            /** @description the host name of the device */
            hostname: string;
            /**
             * @description identifies it; never reused
             * @default null
             */
            id: string | null;
            /**
             * @description when it was created
             * @default null
             */
            created: string | null;
            /**
             * @description a JSON object with the content
             * @default null
             */
            data: Record<string, never> | null;
            /**
             * @description the events, or how many there are
             * @default null
             */
            events: components["schemas"]["HeartbeatBody"][] | null;
        };
        /**
         * ImportedCategory
         * @description The effect of an import on a category.
         */
        ImportedCategory: {
            /** @description the name, or the path of a category */
            name: string[];
            /**
             * @description what happened to the category
             * @enum {unknown}
             */
            outcome: "added" | "changed" | "removed" | "same";
        };
        /**
         * Info
         * @description The identity of the server.
         */
        Info: {
            /** @description the host name of the device */
            hostname: string;
            /** @description the version */
            version: string;
            /** @description whether the server runs in testing mode */
            testing: boolean;
            /** @description identifies this server's database to clients */
            device_id: string;
        };
        /**
         * Invite
         * @description The invite. It has the key of the space: anyone with it can read everything that is synced.
         */
        Invite: {
            /**
             * @description enter it on another device
             * @example dayline-sync_k7f3q2ab_…
             */
            invite: string;
            /** @description the folder */
            location: string;
        };
        /**
         * InvitedLocation
         * @description A space, and the invite that opens it.
         */
        InvitedLocation: {
            /** @description the absolute path of a folder, the address of a Dayline server such as `https://diary:5600`, `webdav+https://user@host/path`, or `this-server` for the files that this server stores for others */
            location: string;
            /**
             * @description the key of that Dayline server, with scope `sync`, or the password of the WebDAV user; stored
             * @default null
             */
            server_key: string | null;
            /**
             * @description the SHA-256 fingerprint of its certificate, if the system does not know its authority
             * @default null
             */
            fingerprint: string | null;
            /** @description the text that another device shows */
            invite: string;
        };
        /**
         * JobFault
         * @description Why a job failed, like the error of a call.
         */
        JobFault: {
            /** @description what happened, in one sentence */
            message: string;
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description how to fix it; null if there is nothing to add */
            hint: string | null;
        };
        /**
         * JobList
         * @description All known jobs, the newest first.
         */
        JobList: {
            /** @description the jobs, the newest first */
            jobs: components["schemas"]["JobView"][];
        };
        /**
         * JobProgress
         * @description The progress of a job; `total` is null until it is known.
         */
        JobProgress: {
            /** @description how much is finished */
            done: number;
            /** @description the whole amount */
            total: number | null;
        };
        /**
         * JobResult
         * @description The result, as for an import; for a migration also the proof that both sides are equal.
         */
        JobResult: {
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: number;
            /** @description events that were imported */
            imported: number;
            /** @description events that were left out */
            skipped: number;
            /** @description events that are not valid and were left out */
            invalid: number;
            /** @description events that privacy rules drop */
            dropped?: number;
            /** @description the sums of source and target, by bucket */
            proof?: components["schemas"]["MigrationProof"];
        };
        /**
         * JobView
         * @description A job. `result` is set when it is done, `error` when it failed or was canceled.
         */
        JobView: {
            /** @description identifies it; never reused */
            id: string;
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "demo" | "import" | "migration";
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "cancelled" | "done" | "failed" | "running";
            /** @description how far it is */
            progress: components["schemas"]["JobProgress"];
            /**
             * Format: date-time
             * @description when it started
             * @example 2026-02-03T08:15:31.250Z
             */
            started: string;
            /** @description when it finished; null while it runs */
            finished: string | null;
            /** @description what the job produced; null until it is done */
            result: components["schemas"]["JobResult"] | null;
            /** @description why it failed; null otherwise */
            error: components["schemas"]["JobFault"] | null;
        };
        /**
         * KeptReport
         * @description A saved report: its name and its parameters.
         */
        KeptReport: {
            /** @description the name, or the path of a category */
            name: string;
            /** @description its parameters */
            parameters: {
                [key: string]: string | string[];
            };
        };
        /**
         * KeyRotation
         * @description How long the old key stays valid, so that you can replace it in its clients.
         */
        KeyRotation: {
            /**
             * @description seconds for which the previous secret stays valid
             * @default 0
             */
            grace_s: number;
        };
        /**
         * KeyView
         * @description A key without its secret. `is_active` is false for expired and revoked keys.
         *
         *     `tenant` is set if the key opens the data of a named tenant.
         */
        KeyView: {
            /**
             * @description identifies it; never reused
             * @example k3f5a2bq
             */
            id: string;
            /** @description the name, or the path of a category */
            name: string;
            /**
             * @description what the key may do
             * @enum {unknown}
             */
            scope: "append" | "full" | "read" | "sync";
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: string[];
            /** @description whether requests with this key must be encrypted */
            envelope: boolean;
            /** @description whether it can be used now */
            is_active: boolean;
            /**
             * Format: date-time
             * @description when it was created
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            /** @description when it expires; null for never */
            expires: string | null;
            /** @description when it was revoked; null if it was not */
            revoked: string | null;
            /** @description when it was used last */
            last_used: string | null;
            /** @description the address of the last request */
            last_address: string | null;
            /** @description the tenant that the key belongs to */
            tenant?: string;
        };
        /**
         * KnownWatcher
         * @description A known watcher. `seen` is true if there is data that it recorded, including imported data.
         */
        KnownWatcher: {
            /** @description the name of the program that records */
            client: string;
            /** @description what it records */
            what: string;
            /** @description whether it has sent something */
            seen: boolean;
            /** @description the end of its latest event */
            last: string | null;
            /**
             * @description recording if it records on any device, else silent if it should on one, else quiet
             * @enum {unknown}
             */
            health: "quiet" | "recording" | "silent";
            /** @description link to the installation instructions */
            install: string;
        };
        /**
         * LaneResponse
         * @description The pieces of one bucket or device, by start. All columns have one entry per piece.
         *
         *     The first piece starts `gap[0]` after the start of the range, every other one `gap[i]` after the end of the previous
         *     one. A gap is negative if they overlap.
         */
        LaneResponse: {
            /** @description the bucket's id; null for the lane of a device */
            bucket: string | null;
            /** @description its host name */
            device: string;
            /**
             * @description the bucket's type
             * @example currentwindow
             */
            type: string;
            /** @description number of events in the range */
            events: number;
            /** @description whether each piece is one stored event, clipped to the range */
            is_exact: boolean;
            /** @description microseconds from the end of the previous piece */
            gap: number[];
            /** @description duration in microseconds */
            dur: number[];
            /** @description the label with the most time, as an index into `keys`; -1: none */
            key: number[];
            /** @description the title with the most time among events with this `key`, as an index into `titles`; -1: none */
            title: number[];
            /** @description share of `key` in the time of all events of the piece */
            share: number[];
            /** @description the category with the most time, as an index into `categories`; -1: none */
            cat: number[];
            /** @description number of merged events */
            n: number[];
            /** @description share of the piece that events cover */
            cover: number[];
            /** @description the event's id; null if several are merged */
            id: (number | null)[];
        };
        /**
         * Leaving
         * @description Whether to keep the mirrors, read-only and unchanged.
         */
        Leaving: {
            /**
             * @description whether the mirrors stay; otherwise they are deleted
             * @default false
             */
            keep_mirrors: boolean;
            /**
             * @description whether to become another device of the same space instead; mirrors stay then
             * @default false
             */
            new_identity: boolean;
        };
        /**
         * LeftOut
         * @description Entries shorter than the minimum, which are not counted.
         */
        LeftOut: {
            /** @description the entries */
            entries: number;
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
        };
        /**
         * LikelyName
         * @description Another host name that this device probably had before or has now. `reason` explains why.
         */
        LikelyName: {
            /** @description the host name of the device */
            hostname: string;
            /** @description whether the other device began later */
            is_newer: boolean;
            /** @description why it is suggested */
            reason: string;
        };
        /**
         * ListedEvent
         * @description An event with its whole duration.
         */
        ListedEvent: {
            /** @description identifies it; never reused */
            id: number;
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @description the end (exclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
            /** @description seconds, with microsecond precision */
            duration: number;
            /** @description a JSON object with the content */
            data: Record<string, never>;
            /**
             * @description the texts that are truncated to 4,000 bytes and end with `…`, each as the keys and list indices that lead to it; `GET /api/0/buckets/{bucket_id}/events/{event_id}` returns them whole
             * @example [
             *       [
             *         "title"
             *       ]
             *     ]
             */
            truncated: (string | number)[][];
        };
        /**
         * LogRecord
         * @description One log record.
         */
        LogRecord: {
            /**
             * Format: date-time
             * @description the start of the event
             * @example 2026-02-03T08:15:31.250Z
             */
            timestamp: string;
            /** @description the level of the log record */
            level: string;
            /** @description the part of the server that wrote the record */
            logger: string;
            /** @description what happened, in one sentence */
            message: string;
        };
        /**
         * MadeKey
         * @description A new key with its secret, which is returned only once.
         */
        MadeKey: {
            /**
             * @description identifies it; never reused
             * @example k3f5a2bq
             */
            id: string;
            /** @description the name, or the path of a category */
            name: string;
            /**
             * @description what the key may do
             * @enum {unknown}
             */
            scope: "append" | "full" | "read" | "sync";
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: string[];
            /** @description whether requests with this key must be encrypted */
            envelope: boolean;
            /** @description whether it can be used now */
            is_active: boolean;
            /**
             * Format: date-time
             * @description when it was created
             * @example 2026-02-03T08:15:31.250Z
             */
            created: string;
            /** @description when it expires; null for never */
            expires: string | null;
            /** @description when it was revoked; null if it was not */
            revoked: string | null;
            /** @description when it was used last */
            last_used: string | null;
            /** @description the address of the last request */
            last_address: string | null;
            /** @description the tenant that the key belongs to */
            tenant?: string;
            /** @description the key, or the value by which time is grouped */
            key: string;
        };
        /**
         * MergeRequest
         * @description The bucket to merge into. With `dry_run` nothing is changed; `force` also merges buckets of different types.
         */
        MergeRequest: {
            /** @description the id of the bucket that receives the events */
            into: string;
            /**
             * @description whether nothing was changed
             * @default false
             */
            dry_run: boolean;
            /**
             * @description whether to merge buckets of different types
             * @default false
             */
            force: boolean;
        };
        /**
         * Merged
         * @description The result of merging a bucket into another, or with `dry_run` the preview.
         *
         *     Of its `events`, `moved` are moved; `skipped` exist already, with the same time, duration and data. `overlapping`
         *     counts moved events that overlap existing ones.
         */
        Merged: {
            /** @description the merged bucket, which becomes an alias of the other */
            bucket: string;
            /** @description the id of the bucket that receives the events */
            into: string;
            /** @description the events, or how many there are */
            events: number;
            /** @description how much changed its place */
            moved: number;
            /** @description events that were left out */
            skipped: number;
            /** @description events that overlap others in the target */
            overlapping: number;
            /** @description what to consider before the change */
            warnings: string[];
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
        };
        /**
         * MigrationProof
         * @description The checksums of both sides, each computed independently after the copy.
         */
        MigrationProof: {
            /** @description the path of the file, or of the category */
            path: string;
            /** @description whether the checksums of all buckets are equal */
            is_proven: boolean;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: components["schemas"]["ProvenBucket"][];
            /** @description what happened to each setting */
            settings: components["schemas"]["CopiedSettings"];
        };
        /**
         * MigrationRequest
         * @description The database to import: a path listed by `GET /api/1/welcome`.
         */
        MigrationRequest: {
            /** @description the path of the file, or of the category */
            path: string;
        };
        /**
         * Move
         * @description Time that moves from one category to another. `null` means that it does not count as active.
         */
        Move: {
            /** @description where time comes from */
            from: string[] | null;
            /** @description where time goes to, or the step of rounding */
            to: string[] | null;
            /** @description the length in seconds */
            seconds: number;
        };
        /**
         * NearestResponse
         * @description The nearest events around a range without events: an end before it, and a start after it.
         */
        NearestResponse: {
            /** @description the value before the change */
            before: string | null;
            /** @description the value after the change */
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
            /**
             * @description the host name of the device
             * @default null
             */
            device: string | null;
            /**
             * @description the note on the span of time
             * @default
             * @example Stand-up
             */
            label: string;
            /**
             * @description the path of the category, from the root
             * @default null
             */
            category: string[] | null;
            /**
             * @description free text
             * @default
             */
            note: string;
            /**
             * @description whether it counts
             * @default true
             */
            is_on: boolean;
        };
        /**
         * NewBucket
         * @description A request to create a bucket. `id`, `name`, `events` and `metadata` in the body are ignored.
         */
        NewBucket: {
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description the name of the program that records */
            client: string;
            /** @description the host name of the device */
            hostname: string;
            /**
             * @description when it was created
             * @default null
             */
            created: string | null;
            /**
             * @description a JSON object with the content
             * @default null
             */
            data: Record<string, never> | null;
        };
        /**
         * NewCategory
         * @description A category to store. Time belongs to it if its classic rule or one of its conditions matches.
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
            /**
             * @description identifies it; never reused
             * @default null
             */
            id: number | null;
            /**
             * @description the rule
             * @default null
             */
            rule: components["schemas"]["NewRule"] | null;
            /**
             * @description the rules: time that matches any of them belongs to it
             * @default []
             */
            conditions: components["schemas"]["Condition"][];
            /**
             * @description the higher number wins if several rules match
             * @default null
             */
            priority: number | null;
            /**
             * @description a color of the palette, or `#rrggbb`; null chooses one
             * @default null
             */
            color: string | null;
            /**
             * @description its time counts without keyboard or mouse input
             * @default false
             */
            is_always_active: boolean;
            /**
             * @description fields of other programs, such as `score`
             * @default {}
             */
            data: Record<string, never>;
        };
        /**
         * NewCategoryDocument
         * @description A rule set to import. Without `kind` and `version`, its categories have the format of the setting `classes`.
         */
        NewCategoryDocument: {
            /** @description the categories */
            categories: Record<string, never>[];
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind?: "dayline.categories";
            /**
             * @description the version
             * @enum {unknown}
             */
            version?: 1;
        };
        /**
         * NewGoal
         * @description A new goal. `category` is for `by` category, `value` for app and domain.
         */
        NewGoal: {
            /**
             * @description the name, or the path of a category
             * @example Deep work
             */
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
            /**
             * @description the path of the category, from the root
             * @default null
             */
            category: string[] | null;
            /**
             * @description the value
             * @default null
             */
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
            /**
             * @description whether it counts
             * @default true
             */
            is_on: boolean;
        };
        /**
         * NewKey
         * @description A key to create. `buckets` are ids or patterns with `*`; an empty list means all buckets.
         */
        NewKey: {
            /** @description the name, or the path of a category */
            name: string;
            /**
             * @description what the key may do
             * @enum {unknown}
             */
            scope: "append" | "full" | "read" | "sync";
            /**
             * @description the buckets concerned; in a key, an empty list means all
             * @default []
             */
            buckets: string[];
            /**
             * @description when it expires; null for never
             * @default null
             */
            expires: string | null;
            /**
             * @description whether requests with this key must be encrypted
             * @default false
             */
            envelope: boolean;
            /**
             * @description the tenant whose data the key opens, on PostgreSQL; default: your own
             * @default null
             */
            tenant: string | null;
        };
        /**
         * NewRule
         * @description The classic rule, which all programs know that read the setting `classes`.
         *
         *     It checks the window, or a tab or file if there is no window.
         */
        NewRule: {
            /**
             * @description the regular expression
             * @example GitHub|vim
             */
            regex: string;
            /**
             * @description whether case does not matter
             * @default false
             */
            ignore_case: boolean;
            /**
             * @description the keys of the data that are matched; null for all
             * @default null
             */
            select_keys: string[] | null;
            /**
             * @description the higher number wins if several rules match
             * @default null
             */
            priority: number | null;
        };
        /**
         * NewSession
         * @description The session of the browser that has just signed in, with its secret, which is shown once.
         */
        NewSession: {
            /** @description whether requests need a key */
            needs_key: boolean;
            /** @description whether the browser is signed in */
            is_signed_in: boolean;
            /** @description what the key may do */
            scope: ("append" | "full" | "read" | "sync") | null;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: string[];
            /** @description the id of the key; null without one */
            key_id: string | null;
            /** @description when it expires; null for never */
            expires: string | null;
            /** @description send it in the header `X-Dayline` of every request: the cookie alone gives no access. A page keeps it in its local storage, which other ports cannot read */
            secret: string;
        };
        /**
         * NewSource
         * @description A folder of ActivityWatch.
         */
        NewSource: {
            /**
             * @description the absolute path of the folder
             * @example /home/anna/ActivityWatchSync
             */
            path: string;
        };
        /**
         * NewTicket
         * @description The path to download.
         */
        NewTicket: {
            /** @description the path of a GET request, without base path and query */
            path: string;
        };
        /**
         * NewWorkHours
         * @description Work hours of all days of the week. An omitted day has none.
         */
        NewWorkHours: {
            /**
             * @description working hours on Monday; null for none
             * @default null
             */
            monday: string | null;
            /**
             * @description working hours on Tuesday; null for none
             * @default null
             */
            tuesday: string | null;
            /**
             * @description working hours on Wednesday; null for none
             * @default null
             */
            wednesday: string | null;
            /**
             * @description working hours on Thursday; null for none
             * @default null
             */
            thursday: string | null;
            /**
             * @description working hours on Friday; null for none
             * @default null
             */
            friday: string | null;
            /**
             * @description working hours on Saturday; null for none
             * @default null
             */
            saturday: string | null;
            /**
             * @description working hours on Sunday; null for none
             * @default null
             */
            sunday: string | null;
        };
        /**
         * NowResponse
         * @description All devices, the one that recorded last first.
         */
        NowResponse: {
            /**
             * Format: date-time
             * @description the time of the response
             * @example 2026-02-03T08:15:31.250Z
             */
            now: string;
            /** @description false while a category is still being computed: request it again soon */
            is_settled: boolean;
            /** @description the devices with their time */
            devices: components["schemas"]["DeviceNow"][];
        };
        /**
         * OperationProgress
         * @description What an unfinished operation is doing. `of` is null if the total is unknown.
         */
        OperationProgress: {
            /** @description a sentence without a period */
            text: string;
            /** @description events so far */
            done: number;
            /** @description events in total */
            of: number | null;
        };
        /**
         * OtherSessions
         * @description The number of browsers that were signed out.
         */
        OtherSessions: {
            /** @description the number of sessions that were ended */
            ended: number;
        };
        /**
         * OwnDevice
         * @description This device in its space. `published` is the time of its last head.
         */
        OwnDevice: {
            /**
             * @description identifies the device
             * @example k7f3q2ab
             */
            id: string;
            /** @description the name by which other devices know it */
            name: string;
            /** @description when its last head was written; null if none was */
            published: string | null;
            /** @description how many buckets it publishes */
            buckets: number;
            /** @description how many events it publishes */
            events: number;
        };
        /**
         * OwnServer
         * @description How the server runs, its addresses, files and settings.
         */
        OwnServer: {
            /** @description the version */
            version: string;
            /** @description the host name of the device */
            hostname: string;
            /**
             * Format: date-time
             * @description when it started
             * @example 2026-02-03T08:15:31.250Z
             */
            started: string;
            /** @description seconds since the start */
            uptime: number;
            /** @description its URL on this computer */
            address: string;
            /** @description host names it accepts, in addition to its address */
            hosts: string[];
            /** @description origins that may call it, in addition to its own */
            origins: string[];
            /** @description whether every call needs a key */
            needs_keys: boolean;
            /** @description whether the server runs in testing mode */
            is_testing: boolean;
            /** @description the time zone of its computer */
            time_zone: string;
            /** @description the location of the database */
            database: string;
            /** @description the log file of the server */
            log_file: string | null;
            /** @description path of the settings file, which may not exist */
            settings_file: string | null;
            /** @description all settings, with the source of each value */
            settings: components["schemas"]["ServerSetting"][];
        };
        /**
         * Parameter
         * @description One argument of a function. A variadic one, always the only one, may be given any number of times or never.
         */
        Parameter: {
            /** @description the name, or the path of a category */
            name: string;
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "any" | "boolean" | "events" | "keys" | "list" | "list or dict" | "list or events" | "nothing" | "number" | "string";
            /** @description what it is, in words */
            description: string;
            /** @description whether it may be left out */
            is_optional: boolean;
            /** @description whether it takes any number of values */
            is_variadic: boolean;
        };
        /**
         * PassReport
         * @description A pass. `stopped` is the reason why this device publishes nothing; `problem` why the pass ended early.
         */
        PassReport: {
            /**
             * Format: date-time
             * @description when the pass began
             * @example 2026-02-03T08:15:31.250Z
             */
            began: string;
            /**
             * Format: date-time
             * @description when the pass ended
             * @example 2026-02-03T08:15:31.250Z
             */
            ended: string;
            /** @description packs written */
            written: number;
            /** @description bytes of these packs */
            written_bytes: number;
            /** @description whether something had changed here */
            has_new_head: boolean;
            /** @description why this device publishes nothing; null if it does */
            stopped: string | null;
            /** @description whether it publishes nothing because it was restored: POST /api/1/sync/recover merges it */
            is_behind: boolean;
            /** @description why the pass ended early; null if it did not */
            problem: string | null;
            /** @description what to do about it; null if there is nothing to add */
            hint: string | null;
            /** @description what does not stop sync, such as a wrong clock */
            warnings: string[];
            /** @description files of the space that are neither heads nor packs */
            ignored: string[];
            /** @description the other devices */
            devices: components["schemas"]["DeviceReport"][];
            /** @description folders of ActivityWatch, which were read as well */
            sources: components["schemas"]["SourceReport"][];
        };
        /**
         * Preferences
         * @description The user's preferences. `null` leaves a choice to the browser.
         */
        Preferences: {
            /** @description the IANA time zone; null for that of the browser */
            time_zone: string | null;
            /**
             * @description a time of day
             * @example 04:00
             */
            day_start: string;
            /**
             * @description the first day of a week
             * @enum {unknown}
             */
            week_start: "monday" | "saturday" | "sunday";
            /** @description the language of the page, as a tag such as `de`; null for that of the browser */
            language: string | null;
            /**
             * @description how the page writes lengths of time
             * @enum {unknown}
             */
            duration_style: "clock" | "decimal" | "hours";
            /**
             * @description the theme of the page
             * @enum {unknown}
             */
            theme: "auto" | "dark" | "light";
            /**
             * @description the density of lists on the page
             * @enum {unknown}
             */
            density: "comfortable" | "compact";
            /** @description whether the page avoids motion; null for the setting of the browser */
            reduced_motion: boolean | null;
            /** @description whether single letters are shortcuts on the page */
            single_letter_keys: boolean;
        };
        /**
         * PreferencesChange
         * @description The fields to change. `null` resets a preference to its default.
         */
        PreferencesChange: {
            /** @description the IANA time zone; null for that of the browser */
            time_zone?: string | null;
            /** @description the time at which a day starts */
            day_start?: string | null;
            /** @description the first day of a week */
            week_start?: ("monday" | "saturday" | "sunday") | null;
            /** @description the language of the page, as a tag such as `de`; null for that of the browser */
            language?: string | null;
            /** @description how the page writes lengths of time */
            duration_style?: ("clock" | "decimal" | "hours") | null;
            /** @description the theme of the page */
            theme?: ("auto" | "dark" | "light") | null;
            /** @description the density of lists on the page */
            density?: ("comfortable" | "compact") | null;
            /** @description whether the page avoids motion; null for the setting of the browser */
            reduced_motion?: boolean | null;
            /** @description whether single letters are shortcuts on the page */
            single_letter_keys?: boolean | null;
        };
        /**
         * Preview
         * @description What a changed rule set would move. `moved` is in seconds; `moves` and `samples` start with the largest.
         */
        Preview: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description how much changed its place */
            moved: number;
            /** @description time that changes its category */
            moves: components["schemas"]["Move"][];
            /** @description the sums over the range */
            totals: components["schemas"]["PreviewTotal"][];
            /** @description some examples */
            samples: components["schemas"]["PreviewSample"][];
            /** @description what to consider before the change */
            warnings: components["schemas"]["PreviewWarning"][];
        };
        /**
         * PreviewRequest
         * @description A changed rule set, and the number of samples to show. The range is given as in all insight requests.
         */
        PreviewRequest: {
            /** @description the categories */
            categories: components["schemas"]["NewCategory"][];
            /**
             * @description some examples
             * @default 20
             */
            samples: number;
        };
        /**
         * PreviewSample
         * @description A sample of what would move, and the rule that moves it.
         */
        PreviewSample: {
            /** @description where time comes from */
            from: string[] | null;
            /** @description where time goes to, or the step of rounding */
            to: string[] | null;
            /** @description the length in seconds */
            seconds: number;
            /** @description the name of the program */
            app: string | null;
            /** @description the title of the window, tab or report */
            title: string | null;
            /** @description the address of the page */
            url: string | null;
            /** @description the rule that would decide; null if none would */
            match: components["schemas"]["RuleMatch"] | null;
        };
        /**
         * PreviewTotal
         * @description The time of a category now, and after the change.
         */
        PreviewTotal: {
            /** @description the path of the category, from the root */
            category: string[];
            /** @description the value before the change */
            before: number;
            /** @description the value after the change */
            after: number;
        };
        /**
         * PreviewWarning
         * @description A likely mistake in a changed rule.
         *
         *     never_matches: it matches nothing in the range. shadowed: other rules always win, mostly one of `other`. too_broad:
         *     it matches `share` of the current time of `other`. slow: it needs Python's `re`.
         */
        PreviewWarning: {
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "never_matches" | "shadowed" | "slow" | "too_broad";
            /** @description the path of the category, from the root */
            category: string[];
            /** @description index of the condition, from 0; null: the classic rule */
            condition: number | null;
            /** @description the rest, or the other one */
            other: string[] | null;
            /** @description from 0 to 1 */
            share: number | null;
            /** @description what happened, in one sentence */
            message: string;
        };
        /**
         * PrivacyFilter
         * @description An entry of the setting `privacy_filters`. Without a prefix it applies to every bucket.
         */
        PrivacyFilter: {
            /** @description whether it is turned on */
            enabled: boolean;
            /** @description the field that the text is in, or that the error is about */
            field: string;
            /** @description the regular expression */
            pattern: string;
            /**
             * @description what happens to a text that matches
             * @enum {unknown}
             */
            action: "drop" | "redact";
            /** @description only buckets whose id starts with this */
            bucket_prefix: string | null;
            /** @description the text that replaces a match */
            replacement: string | null;
        };
        /**
         * PrivacyRule
         * @description A privacy rule.
         *
         *     It applies if the pattern matches a text at `field`. `drop` drops the event, `redact` replaces the text, `rewrite`
         *     replaces what the pattern matches.
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
            /**
             * @description what happens to a text that matches
             * @enum {unknown}
             */
            action: "drop" | "redact" | "rewrite";
            /**
             * @description whether it is turned on
             * @default true
             */
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
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "background" | "backup" | "check" | "clock" | "connections" | "damage" | "disk" | "replica" | "sign-in" | "sync" | "watcher";
            /** @description what happened, in one sentence */
            message: string;
            /** @description how to fix it; null if there is nothing to add */
            hint: string | null;
            /** @description since when */
            since: string | null;
        };
        /**
         * ProgramText
         * @description A program.
         */
        ProgramText: {
            /** @description the program */
            query: string | string[];
        };
        /**
         * Project
         * @description A project. Time belongs to it if it is in one of its categories, or if one of its conditions matches.
         *
         *     Of several projects, the first one counts. Time that no project matches belongs to the project that an editor has
         *     recorded.
         */
        Project: {
            /**
             * @description the name, or the path of a category
             * @example ACME
             */
            name: string;
            /**
             * @description the categories
             * @default []
             */
            categories: string[][];
            /**
             * @description the rules: time that matches any of them belongs to it
             * @default []
             */
            conditions: components["schemas"]["Condition"][];
            /**
             * @description the price of an hour; null for none
             * @default null
             */
            rate: number | null;
            /**
             * @description whether timesheets compute its price
             * @default true
             */
            is_billable: boolean;
            /**
             * @description a color of the palette, or `#rrggbb`; null chooses one
             * @default null
             */
            color: string | null;
        };
        /**
         * ProjectList
         * @description All projects, in order: the first one that matches counts.
         */
        ProjectList: {
            /** @description the projects */
            projects: components["schemas"]["ProjectView"][];
            /** @description the color of each project, in the same order */
            colors: components["schemas"]["DisplayColors"][];
        };
        /**
         * ProjectView
         * @description A project with all its fields.
         */
        ProjectView: {
            /** @description the name, or the path of a category */
            name: string;
            /** @description the categories */
            categories: string[][];
            /** @description the rules: time that matches any of them belongs to it */
            conditions: components["schemas"]["ConditionView"][];
            /** @description the price of an hour; null for none */
            rate: number | null;
            /** @description whether its time is billed */
            is_billable: boolean;
            /** @description a color of the palette, or `#rrggbb`; null chooses one */
            color: string | null;
        };
        /**
         * ProjectsChange
         * @description All projects, in order: the first one that matches counts.
         */
        ProjectsChange: {
            /**
             * @description the projects
             * @default []
             */
            projects: components["schemas"]["Project"][];
            /** @description ignored: a list can be sent as it was read */
            colors?: {
                [key: string]: string;
            }[];
        };
        /**
         * ProvenBucket
         * @description A bucket of the source: `theirs` is the checksum of its events there, `ours` of the same events here.
         */
        ProvenBucket: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description whether both checksums are equal */
            is_proven: boolean;
            /** @description the sums of the source */
            theirs: components["schemas"]["ProvenSums"];
            /** @description the sums of the target */
            ours: components["schemas"]["ProvenSums"];
            /** @description events that are new here */
            imported: number;
            /** @description events that existed here and are longer in the source */
            extended: number;
            /** @description duplicates in the source, which are stored once here */
            repeated: number;
            /** @description events that continued here, and are in neither checksum */
            continued: number;
            /** @description events of the bucket here that are not in the source */
            others: number;
            /** @description invalid or dropped events, by reason */
            left_out: {
                [key: string]: number;
            };
        };
        /**
         * ProvenSums
         * @description Checksum of a set of events.
         */
        ProvenSums: {
            /** @description the events, or how many there are */
            events: number;
            /** @description sum of their durations */
            seconds: number;
            /** @description sum of their digests, independent of their order */
            checksum: string;
        };
        /**
         * QueryCheck
         * @description Whether a program is valid, and its errors.
         */
        QueryCheck: {
            /** @description whether the program is valid */
            is_valid: boolean;
            /** @description the errors that were found */
            errors: components["schemas"]["QueryFault"][];
        };
        /**
         * QueryExplanation
         * @description What each statement did in each period, and the statistics of the query.
         */
        QueryExplanation: {
            /** @description the statements of the program */
            statements: components["schemas"]["StatementReport"][];
            /** @description what the query read and how long it took */
            statistics: components["schemas"]["Statistics"];
        };
        /**
         * QueryFault
         * @description An error in a program; `excerpt` is the line with a caret under the position.
         */
        QueryFault: {
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description what happened, in one sentence */
            message: string;
            /** @description what was expected instead */
            expected: string[];
            /** @description the line, from 1 */
            line?: number;
            /** @description the column, or its position from 1 */
            column?: number;
            /** @description the line of the program with a mark at the error */
            excerpt?: string;
            /** @description how to fix it; null if there is nothing to add */
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
         * @description A program, the periods to run it for, and its limits. `name` is the value of `NAME` in the program.
         */
        QueryRequest: {
            /** @description the program */
            query: string | string[];
            /** @description the program runs once for each; `start/end`, both RFC 3339 */
            timeperiods: string[];
            /**
             * @description the name, or the path of a category
             * @default
             */
            name: string;
            /**
             * @description seconds after which the query is stopped
             * @default null
             */
            timeout_s: number | null;
            /**
             * @description the largest result that the client accepts
             * @default null
             */
            max_result_bytes: number | null;
        };
        /**
         * QueryResponse
         * @description The result for each period, the statistics of the query, and what the program printed.
         */
        QueryResponse: {
            /** @description the result for each period */
            results: (Record<string, never> | unknown[] | string | number | boolean | null)[];
            /** @description what the query read and how long it took */
            statistics: components["schemas"]["Statistics"];
            /** @description what the program printed */
            printed: string[];
        };
        /**
         * RangeResponse
         * @description The range of a response, from `start` to before `end`, and its calendar settings.
         */
        RangeResponse: {
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
            /**
             * @description the first day of a week
             * @enum {unknown}
             */
            week_start: "monday" | "saturday" | "sunday";
            /**
             * @description name of the range
             * @example Thu 5 Mar 2026
             */
            label: string;
        };
        /**
         * Ready
         * @description Always `ready`; otherwise the response is 503.
         */
        Ready: {
            /**
             * @description the status, or the HTTP status of the response
             * @enum {unknown}
             */
            status: "ready";
        };
        /**
         * RecordedWindow
         * @description The newest event of the watcher for windows.
         */
        RecordedWindow: {
            /** @description the name of the program */
            app: string;
            /** @description the title of the window, tab or report */
            title: string;
            /**
             * Format: date-time
             * @description the start (inclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            start: string;
            /**
             * Format: date-time
             * @description the end (exclusive)
             * @example 2026-02-03T08:15:31.250Z
             */
            end: string;
        };
        /**
         * RecordingBucket
         * @description A bucket that Dayline's watcher records into. `quiet`: another watcher does, so Dayline does not.
         */
        RecordingBucket: {
            /** @description identifies it; never reused */
            id: string;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "quiet" | "recording";
            /**
             * Format: date-time
             * @description since when
             * @example 2026-02-03T08:15:31.250Z
             */
            since: string;
        };
        /**
         * RecordingChange
         * @description Whether to record this computer.
         */
        RecordingChange: {
            /** @description whether it is turned on */
            enabled: boolean;
        };
        /**
         * RecordingView
         * @description Whether the server records its own computer, with Dayline's watcher for windows and presence.
         *
         *     `starting`: the watcher is being started. `checking`: it finds out whether another watcher is recording, for up to
         *     15 seconds. `quiet`: another one is. `failed`: it ended or cannot start; the server tries again.
         */
        RecordingView: {
            /** @description the setting `watch.enabled` */
            enabled: boolean;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "checking" | "failed" | "off" | "quiet" | "recording" | "starting";
            /** @description whether there is a desktop session that can be recorded */
            can_record: boolean;
            /** @description the kind of the desktop session */
            session: ("gnome" | "kwin" | "sway" | "wayland" | "x11") | null;
            /** @description why this computer is not recorded, or what cannot be observed */
            message: string | null;
            /** @description what to do about it */
            hint: string | null;
            /** @description the name of the server's computer */
            hostname: string;
            /** @description whether this call came from the server's computer */
            is_local: boolean;
            /** @description when the watcher began to record */
            since: string | null;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: components["schemas"]["RecordingBucket"][];
            /** @description the newest event for windows of this computer */
            window: components["schemas"]["RecordedWindow"] | null;
        };
        /**
         * Recovered
         * @description What was merged. `restored` counts published events that were missing or different here, `kept` those that were
         *     recorded since, and `removed` those that had been deleted. All of it is undone with the undo group.
         */
        Recovered: {
            /** @description published events that were missing or different here */
            restored: number;
            /** @description events that were recorded since */
            kept: number;
            /** @description events that had been deleted before the restore */
            removed: number;
            /** @description undoes all of it: POST /api/1/undo/groups/{group} */
            group: string;
        };
        /**
         * RedactionPreview
         * @description What rules would change. A data object or event counts once in the totals, however many rules change it.
         */
        RedactionPreview: {
            /** @description the rules */
            rules: components["schemas"]["RuleEffect"][];
            /** @description distinct data objects that were changed */
            changed_values: number;
            /** @description events with changed data */
            changed_events: number;
            /** @description events that were deleted */
            dropped_events: number;
            /** @description the length in seconds */
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
         * RedactionView
         * @description A change of stored events by privacy rules. It can be undone until it is final.
         */
        RedactionView: {
            /** @description identifies it; never reused */
            id: number;
            /**
             * Format: date-time
             * @description when it was made
             * @example 2026-02-03T08:15:31.250Z
             */
            made: string;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "applied" | "applying" | "final" | "undoing" | "undone";
            /** @description the rules */
            rules: components["schemas"]["RulesView"];
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: string[];
            /** @description distinct data objects that were changed */
            changed_values: number;
            /** @description events with changed data */
            changed_events: number;
            /** @description events that were deleted */
            dropped_events: number;
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number | null;
        };
        /**
         * RemovedAnnotation
         * @description A deleted annotation, and its undo number.
         */
        RemovedAnnotation: {
            /** @description identifies it; never reused */
            id: number;
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            undo: number;
        };
        /**
         * RemovedDemoBucket
         * @description A demo bucket that was moved to the trash. All of them share one undo entry.
         */
        RemovedDemoBucket: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description the number of the undo entry, for `POST /api/1/undo/{id}` */
            undo: number;
        };
        /**
         * RemovedEvent
         * @description The deleted event.
         */
        RemovedEvent: {
            /** @description the event */
            event: components["schemas"]["EventDetail"];
            /**
             * @description undo it with POST /api/1/undo/{undo_id}
             * @example 1
             */
            undo: number;
        };
        /**
         * Removing
         * @description Whether to delete the mirrors of the device here.
         */
        Removing: {
            /**
             * @description whether its mirrors here are deleted; otherwise they stay as they are
             * @default false
             */
            delete_mirrors: boolean;
        };
        /**
         * RenameRequest
         * @description The new id of a bucket. With `alias`, the old id becomes an alias, so that its watcher keeps working.
         */
        RenameRequest: {
            /** @description identifies it; never reused */
            id: string;
            /**
             * @description keep the old id as an alias
             * @default true
             */
            alias: boolean;
        };
        /**
         * Renamed
         * @description A bucket with its new id and its aliases.
         */
        Renamed: {
            /** @description identifies it; never reused */
            id: string;
            /** @description the previous id */
            former_id: string;
            /** @description former ids under which watchers still find the bucket */
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
            /** @description the previous host name */
            old: string;
            /** @description events that do not exist yet, or the new host name */
            new: string;
            /** @description why it is suggested */
            reason: string;
        };
        /**
         * ReportTemplate
         * @description The parameters of `GET /api/1/reports/timesheet`, as in its URL.
         */
        ReportTemplate: {
            /** @description the period that was evaluated */
            period?: string;
            /** @description the time zone of the days */
            tz?: string;
            /** @description the time at which a day starts */
            day_start?: string;
            /** @description the first day of a week */
            week_start?: string;
            /** @description the host name of the device */
            device?: string[];
            /** @description only time that matches, as `field:op:value` */
            filter?: string[];
            /**
             * @description whether time away from the device counts
             * @enum {unknown}
             */
            away?: "exclude" | "include";
            /**
             * @description annotations in the range, or whether they count
             * @enum {unknown}
             */
            annotations?: "off" | "on";
            /**
             * @description the field by which time is grouped
             * @enum {unknown}
             */
            by?: "app" | "category" | "label" | "project" | "title";
            /**
             * @description the format of the result
             * @enum {unknown}
             */
            format?: "csv" | "html" | "json";
            /**
             * @description how times are rounded
             * @enum {unknown}
             */
            round?: "down" | "nearest" | "none" | "up";
            /** @description where time goes to, or the step of rounding */
            to?: string;
            /**
             * @description the unit or the period that it applies to
             * @enum {unknown}
             */
            per?: "day" | "entry";
            /** @description entries shorter than this are left out */
            least?: string;
            /** @description gaps shorter than this count as work */
            gaps?: string;
            /** @description the price of an hour; null for none */
            rate?: string;
            /** @description prices of an hour by name */
            rates?: string;
            /** @description the currency of the rates */
            currency?: string;
            /** @description the title of the window, tab or report */
            title?: string;
            /**
             * @description texts on the day
             * @enum {unknown}
             */
            notes?: "off" | "on";
            /** @description how many levels of categories to show; deeper ones count for their parent */
            depth?: string;
        };
        /**
         * RestoredSetting
         * @description The setting after the restore. If `is_set` is false, it has no value.
         */
        RestoredSetting: {
            /**
             * @description whose settings these are
             * @enum {unknown}
             */
            of: "client" | "own";
            /** @description the key, or the value by which time is grouped */
            key: string;
            /** @description whether the setting has a value */
            is_set: boolean;
            /** @description the value */
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
         * @description Rules to preview; default: the rules in force.
         */
        RetentionTrial: {
            /**
             * @description the rules
             * @default null
             */
            rules: components["schemas"]["RetentionRule"][] | null;
        };
        /**
         * RetentionView
         * @description The rules in order; empty if nothing is downsampled.
         */
        RetentionView: {
            /** @description the rules */
            rules: components["schemas"]["RuleInForce"][];
        };
        /**
         * Row
         * @description One entry of a list.
         */
        Row: {
            /** @description the value; a category is the list of its names, from the root */
            key: string | string[];
            /**
             * @description seconds
             * @example 5400
             */
            seconds: number;
            /** @description share of the active time, from 0 to 1 */
            share: number;
            /**
             * @description seconds
             * @example 5400
             */
            prev?: number;
            /** @description the category of most of its time */
            category?: string[];
        };
        /**
         * RuleEffect
         * @description The effect of one rule, after those before it. `rule` counts the filters of the setting first, then the rules.
         */
        RuleEffect: {
            /** @description the rule */
            rule: number;
            /** @description the name, or the path of a category */
            name: string;
            /** @description the field that the text is in, or that the error is about */
            field: string;
            /** @description the regular expression */
            pattern: string;
            /**
             * @description what happens to a text that matches
             * @enum {unknown}
             */
            action: "drop" | "redact" | "rewrite";
            /** @description the buckets concerned; in a key, an empty list means all */
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
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: string[];
        };
        /**
         * RuleMatch
         * @description A rule that matches. `start` and `end` are the position in the text, in characters.
         */
        RuleMatch: {
            /** @description the path of the category, from the root */
            category: string[];
            /** @description index of the condition, from 0; null: the classic rule */
            condition: number | null;
            /**
             * @description how field and value are compared
             * @enum {unknown}
             */
            op: "ends" | "has" | "is" | "regex" | "starts" | "word";
            /** @description empty for a key that is limited to some buckets */
            pattern: string;
            /**
             * @description the part of a day that the rule was matched with
             * @enum {unknown}
             */
            layer: "file" | "tab" | "window";
            /** @description the field that the text is in, or that the error is about */
            field: string;
            /** @description the text */
            text: string;
            /** @description the start (inclusive) */
            start: number;
            /** @description the end (exclusive) */
            end: number;
            /** @description of all matching rules, the highest wins */
            priority: number;
            /** @description why it did not win: another has a higher priority, or the same and comes later in the list, it belongs to the winning category, or an annotation overrides it */
            lost_by: ("annotation" | "order" | "priority" | "same category") | null;
        };
        /**
         * RuleView
         * @description One of Dayline's own rules, with all fields.
         */
        RuleView: {
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
            /**
             * @description what happens to a text that matches
             * @enum {unknown}
             */
            action: "drop" | "redact" | "rewrite";
            /** @description whether it is turned on */
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
         * RulesView
         * @description All rules, in the order in which they apply: those of the setting `privacy_filters`, then Dayline's own.
         */
        RulesView: {
            /** @description rules in the setting `privacy_filters` */
            filters: components["schemas"]["PrivacyFilter"][];
            /** @description the rules */
            rules: components["schemas"]["RuleView"][];
        };
        /**
         * Sample
         * @description A data object before and after; `after` is null if its events are dropped.
         */
        Sample: {
            /** @description the id of the bucket */
            bucket: string;
            /** @description the value before the change */
            before: Record<string, never>;
            /** @description the value after the change */
            after: Record<string, never> | null;
            /** @description the events, or how many there are */
            events: number;
            /** @description the length in seconds */
            seconds: number;
        };
        /**
         * SearchHit
         * @description Events with the same data, or the same title, and so on. Bucket and data are those of the latest event.
         *
         *     With `group=thing` the data is that of the window, the tab and the file together.
         */
        SearchHit: {
            /** @description what the events have in common; null if that is all of their data */
            key: string | null;
            /** @description a JSON object with the content */
            data: Record<string, never>;
            /**
             * @description the texts that are truncated to 4,000 bytes and end with `…`, each as the keys and list indices that lead to it; `GET /api/0/buckets/{bucket_id}/events/{event_id}` returns them whole
             * @example [
             *       [
             *         "title"
             *       ]
             *     ]
             */
            truncated: (string | number)[][];
            /** @description the matches in the texts as they are here */
            highlights: components["schemas"]["Highlight"][];
            /** @description total duration within the range; with `group=thing` active time, as in summaries */
            seconds: number;
            /** @description number of events */
            count: number;
            /**
             * Format: date-time
             * @description start of the first event
             */
            first: string;
            /**
             * Format: date-time
             * @description end of the last event
             */
            last: string;
            /** @description the category of the latest event by the rules */
            category: string[];
            /** @description the id of the bucket */
            bucket: string;
            /** @description the host name of the device */
            device: string;
            /** @description the type: for buckets, what their events are about */
            type: string;
            /** @description the event */
            event: components["schemas"]["HitEvent"];
        };
        /**
         * SearchResponse
         * @description The hits of one page, and statistics of all hits.
         */
        SearchResponse: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description the query as understood */
            understood: string;
            /** @description hits on all pages */
            total: number;
            /** @description events of all hits */
            events: number;
            /** @description the length in seconds */
            seconds: number;
            /** @description the hits of this page */
            hits: components["schemas"]["SearchHit"][];
            /** @description for the next page; null on the last */
            cursor: string | null;
            /** @description the most frequent values of some fields among all hits */
            facets: components["schemas"]["Facets"];
            /** @description active time of all hits over the range */
            histogram: components["schemas"]["Histogram"];
            /** @description if nothing was found: a similar query with results */
            suggestion: string | null;
            /** @description values that were searched without the index, because they are not in it yet */
            looked_through: number;
            /** @description milliseconds */
            took: number;
        };
        /**
         * Series
         * @description The seconds of each bin. Time of other keys is in `other`; time without a key is only part of `total`.
         */
        Series: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /**
             * @description the length of each interval
             * @enum {unknown}
             */
            bin: "5m" | "day" | "hour" | "month" | "week" | "weekhour";
            /**
             * @description the field by which time is grouped
             * @enum {unknown}
             */
            by: "app" | "bucket" | "category" | "device" | "domain" | "project" | "title" | "url";
            /** @description one more than bins; empty with `weekhour` */
            edges: string[];
            /** @description the groups, in the order of the values */
            keys: (string | string[])[];
            /** @description seconds of each bin, for each key */
            values: number[][];
            /** @description the rest, or the other one */
            other: number[];
            /** @description the whole amount */
            total: number[];
            /** @description with `by=category`: keys that have time in other keys below them */
            parents?: string[][];
            /** @description with `weekhour`: number of such hours in the range, up to now */
            hours?: number[];
            /** @description values of the earlier range, bin by bin */
            prev?: number[][];
            /** @description the total of the earlier range */
            prev_total?: number[];
            /** @description the range that is compared with */
            prev_range?: components["schemas"]["RangeResponse"];
            /** @description the whole earlier period, if only its elapsed part is compared */
            prev_whole?: components["schemas"]["RangeResponse"];
            /** @description with `typical`: number of earlier periods in the median */
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
            /** @description the value */
            value: unknown;
            /**
             * @description where the value comes from
             * @enum {unknown}
             */
            source: "command line" | "default" | "environment" | "file";
        };
        /**
         * SessionView
         * @description Whether this server requires a key, and how this browser is signed in; the fields are `null` if it is not.
         *
         *     Without a key id it is signed in as the owner, by a one-time code that was created without a key.
         */
        SessionView: {
            /** @description whether requests need a key */
            needs_key: boolean;
            /** @description whether the browser is signed in */
            is_signed_in: boolean;
            /** @description what the key may do */
            scope: ("append" | "full" | "read" | "sync") | null;
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: string[];
            /** @description the id of the key; null without one */
            key_id: string | null;
            /** @description when it expires; null for never */
            expires: string | null;
        };
        /**
         * SessionsResponse
         * @description Sessions by start. They do not overlap.
         */
        SessionsResponse: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description the sessions */
            sessions: components["schemas"]["ActivitySession"][];
        };
        /**
         * SetHostRequest
         * @description The new host name of a bucket.
         *
         *     With `rename`, an id that ends with the old host name gets the new one; if a bucket with that id exists, `merge`
         *     merges into it. With `dry_run` nothing is changed.
         */
        SetHostRequest: {
            /** @description the host name of the device */
            hostname: string;
            /**
             * @description whether the id changes along with the host name
             * @default true
             */
            rename: boolean;
            /**
             * @description whether to merge into a bucket that exists
             * @default false
             */
            merge: boolean;
            /**
             * @description whether nothing was changed
             * @default false
             */
            dry_run: boolean;
        };
        /**
         * SettingChangeView
         * @description The value that a setting was changed to. If `is_deleted`, the setting was removed and `value` is null.
         *
         *     `device` is the name of the device on which it was changed; null if it was changed here.
         */
        SettingChangeView: {
            /** @description its number; larger ones are later */
            number: number;
            /** @description the key, or the value by which time is grouped */
            key: string;
            /**
             * Format: date-time
             * @description when it was changed, or how many events were
             * @example 2026-02-03T08:15:31.250Z
             */
            changed: string;
            /** @description whether the setting was removed */
            is_deleted: boolean;
            /** @description the value */
            value: Record<string, never> | unknown[] | string | number | boolean | null;
            /** @description the host name of the device */
            device: string | null;
        };
        /**
         * SettingHistory
         * @description Changes, the latest first. Pass `cursor` to get the next page; `null` means the last page.
         */
        SettingHistory: {
            /** @description the changes, the latest first */
            changes: components["schemas"]["SettingChangeView"][];
            /** @description pass it to get the next page; null on the last one */
            cursor: number | null;
        };
        /**
         * SheetColumn
         * @description One key, and its totals.
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
         * @description One day. `seconds` is the exact time, `rounded` the time after rounding.
         */
        SheetDay: {
            /**
             * @description the day
             * @example 2026-03-05
             */
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
            /** @description time without activity between the first and the last */
            breaks: components["schemas"]["Breaks"];
            /** @description the entries */
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
            /** @description texts on the day */
            notes?: string[];
        };
        /**
         * SheetEntry
         * @description The time of one key on one day. `column` is an index into the columns, from 0.
         */
        SheetEntry: {
            /** @description the column, or its position from 1 */
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
         * @description The rules that the sheet was made by; durations are in seconds. `text` says them in a sentence.
         */
        SheetRules: {
            /**
             * @description how times are rounded
             * @enum {unknown}
             */
            round: "down" | "nearest" | "none" | "up";
            /**
             * @description seconds
             * @example 5400
             */
            to: number;
            /**
             * @description the unit or the period that it applies to
             * @enum {unknown}
             */
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
            /** @description the text */
            text: string;
        };
        /**
         * SheetTotals
         * @description The totals of all days.
         */
        SheetTotals: {
            /** @description the number of days, or the days themselves */
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
            /** @description time without activity between the first and the last */
            breaks: components["schemas"]["Breaks"];
            /** @description what the table does not contain */
            left_out: components["schemas"]["LeftOut"];
            /** @description in the currency of the sheet, to the hundredth */
            amount?: number;
        };
        /**
         * SignIn
         * @description A key, or the one-time code of a link created by `dayline open`.
         */
        SignIn: {
            /**
             * @description the key, or the value by which time is grouped
             * @default null
             */
            key: string | null;
            /**
             * @description the one-time code
             * @default null
             */
            code: string | null;
        };
        /**
         * SignInCode
         * @description A one-time code that signs one browser in with the caller's rights. It is revoked together with the key.
         */
        SignInCode: {
            /** @description the one-time code */
            code: string;
            /** @description seconds until it expires */
            expires_in_s: number;
        };
        /**
         * Signature
         * @description A function with its description. `is_over_period`: it depends on the period of the query.
         */
        Signature: {
            /** @description the name, or the path of a category */
            name: string;
            /** @description what it does, in one sentence */
            summary: string;
            /** @description its parameters */
            parameters: components["schemas"]["Parameter"][];
            /**
             * @description the type of the result
             * @enum {unknown}
             */
            returns: "any" | "boolean" | "events" | "keys" | "list" | "list or dict" | "list or events" | "nothing" | "number" | "string";
            /** @description a program that uses the function */
            example: string;
            /** @description whether the function works on the period of the query */
            is_over_period: boolean;
        };
        /**
         * SignedInBrowser
         * @description A browser that is signed in. Without a key id it is signed in as the owner.
         *
         *     `address` is where it signed in. `is_new_address` is true if there was no earlier sign-in from that address, until
         *     you confirm the sign-in.
         */
        SignedInBrowser: {
            /**
             * @description identifies it; never reused
             * @example 3f9c02d1b7aa
             */
            id: string;
            /**
             * @description browser and system, parsed from the user agent
             * @example Firefox on Linux
             */
            device: string;
            /** @description the program, as its requests name it */
            user_agent: string;
            /** @description the id of the key; null without one */
            key_id: string | null;
            /** @description the name of the key; null without one */
            key_name: string | null;
            /**
             * @description what the key may do
             * @enum {unknown}
             */
            scope: "append" | "full" | "read" | "sync";
            /** @description the address that the requests came from */
            address: string;
            /** @description whether the address signed in for the first time */
            is_new_address: boolean;
            /**
             * Format: date-time
             * @description when it started
             * @example 2026-02-03T08:15:31.250Z
             */
            started: string;
            /** @description when it was used last */
            last_used: string | null;
            /** @description the address of the last request */
            last_address: string | null;
            /**
             * Format: date-time
             * @description when it expires; null for never
             * @example 2026-02-03T08:15:31.250Z
             */
            expires: string;
            /** @description true for the browser that sent this request */
            is_current: boolean;
        };
        /**
         * SourceDatabase
         * @description A database of an ActivityWatch server. `problem` says why it cannot be read; its counts are unknown then.
         */
        SourceDatabase: {
            /** @description the path of the file, or of the category */
            path: string;
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "aw-server" | "aw-server-rust";
            /** @description the buckets concerned; in a key, an empty list means all */
            buckets: number;
            /** @description the events, or how many there are */
            events: number;
            /** @description total size of its files */
            bytes: number;
            /** @description start of its first event */
            first: string | null;
            /** @description end of its last event */
            last: string | null;
            /** @description true if all its buckets were imported from their first event; it may have newer events */
            already_migrated: boolean;
            /** @description what is wrong; null otherwise */
            problem: string | null;
        };
        /**
         * SourceDevice
         * @description A device in a folder. `current`: everything that its files have is here.
         *
         *     `text` explains every other state.
         */
        SourceDevice: {
            /**
             * @description what is added to the ids of its buckets
             * @example w5k2c7ra
             */
            id: string;
            /** @description its host name, or its id in ActivityWatch if it has none */
            name: string;
            /**
             * @description `current`, `waiting` for a file that cannot be read yet, or `skipped`: this computer itself
             * @enum {unknown}
             */
            state: "current" | "skipped" | "waiting";
            /** @description why the state is not `current`; empty otherwise */
            text: string;
            /** @description when its files were last read; null if they never were */
            read: string | null;
            /** @description how many mirrors it has here */
            buckets: number;
            /** @description how many events these have */
            events: number;
            /** @description repetitions of events in its files, which are stored once */
            repeated: number;
            /** @description events of its files that are not valid, which are left out */
            invalid: number;
        };
        /**
         * SourceList
         * @description All folders.
         */
        SourceList: {
            /** @description the folders, in the order in which they were added */
            sources: components["schemas"]["SourceReport"][];
        };
        /**
         * SourceReport
         * @description A folder of ActivityWatch, and the devices in it.
         */
        SourceReport: {
            /** @description the folder */
            path: string;
            /** @description why the folder cannot be read; null if it can */
            problem: string | null;
            /** @description the devices with files in it */
            devices: components["schemas"]["SourceDevice"][];
            /** @description conflict copies in it, which are not read */
            ignored: string[];
        };
        /**
         * Space
         * @description Disk space used by the database and the files next to it.
         */
        Space: {
            /**
             * Format: date-time
             * @description when disk space was measured
             * @example 2026-02-03T08:15:31.250Z
             */
            measured: string;
            /** @description the location of the database */
            database: components["schemas"]["FileSpace"];
            /** @description bytes of the derived data, which can be rebuilt */
            segments: number;
            /** @description bytes of the write-ahead log */
            log: number;
            /** @description bytes of all files in the backup folder */
            backups: number;
            /** @description total bytes */
            total: number;
        };
        /**
         * SpaceLocation
         * @description Where devices exchange files.
         */
        SpaceLocation: {
            /** @description the absolute path of a folder, the address of a Dayline server such as `https://diary:5600`, `webdav+https://user@host/path`, or `this-server` for the files that this server stores for others */
            location: string;
            /**
             * @description the key of that Dayline server, with scope `sync`, or the password of the WebDAV user; stored
             * @default null
             */
            server_key: string | null;
            /**
             * @description the SHA-256 fingerprint of its certificate, if the system does not know its authority
             * @default null
             */
            fingerprint: string | null;
        };
        /**
         * SplitEvent
         * @description Both parts: the first keeps the event's id.
         */
        SplitEvent: {
            /** @description the events, or how many there are */
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
             * @description the time in question
             * @example 2026-02-03T08:15:31.250Z
             */
            at: string;
        };
        /**
         * StarterSet
         * @description A set of categories to start with.
         */
        StarterSet: {
            /** @description identifies it; never reused */
            id: string;
            /** @description the title of the window, tab or report */
            title: string;
            /** @description what it is, in words */
            description: string;
            /** @description the categories */
            categories: components["schemas"]["CategoryView"][];
        };
        /**
         * StatementReport
         * @description One statement of a program, in one period.
         */
        StatementReport: {
            /** @description the period that was evaluated */
            period: number;
            /** @description the line, from 1 */
            line: number;
            /** @description the text */
            text: string;
            /** @description the length in seconds */
            seconds: number;
            /** @description events that the statement received */
            events_in: number;
            /** @description events that the statement returned */
            events_out: number;
            /** @description what was read from each bucket */
            reads: components["schemas"]["BucketRead"][];
            /** @description texts that needed the slower regular expressions */
            fallbacks: string[];
        };
        /**
         * Statistics
         * @description Statistics of a query.
         */
        Statistics: {
            /** @description the length in seconds */
            seconds: number;
            /** @description events that were read */
            events_read: number;
            /** @description packed months that were read */
            segments_read: number;
            /** @description rows that were read */
            rows_read: number;
            /** @description the size of the result */
            result_bytes: number;
        };
        /**
         * StoreProof
         * @description The response to a nonce. Only the owner of the server can check it, with the server's token file.
         */
        StoreProof: {
            /** @description HMAC-SHA256 of the store, the nonce, and the server's end of this connection, keyed by the local token */
            proof: string;
        };
        /**
         * StoredDevice
         * @description The files of a device. A tag changes with what it is computed from.
         */
        StoredDevice: {
            /** @description the tag of its head; null without one */
            head: string | null;
            /**
             * @description the tag of the names of its packs
             * @example 5f0c2d1b7aa93e04
             */
            packs: string;
        };
        /**
         * StoredNames
         * @description The names of the files of a device, without its head.
         */
        StoredNames: {
            /** @description the names, in order */
            packs: string[];
        };
        /**
         * StoredSpace
         * @description All devices of a space.
         */
        StoredSpace: {
            /** @description the devices by their id */
            devices: {
                [key: string]: components["schemas"]["StoredDevice"];
            };
        };
        /**
         * StreamBucket
         * @description A bucket was changed.
         */
        StreamBucket: {
            /** @description identifies it; never reused */
            id: string;
            /**
             * @description what happened to the bucket
             * @enum {unknown}
             */
            change: "changed" | "created" | "deleted" | "merged" | "recorded" | "renamed" | "restored";
        };
        /**
         * StreamGoal
         * @description A goal was reached, or a limit exceeded.
         */
        StreamGoal: {
            /** @description identifies it; never reused */
            id: string;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "exceeded" | "reached";
        };
        /**
         * StreamHello
         * @description The first message. If `resumed`, exactly the missed messages follow. `revision` is the current one.
         */
        StreamHello: {
            /** @description whether no change was missed since the last connection */
            resumed: boolean;
            /** @description the version */
            version: string;
            /** @description a number that grows with every change */
            revision?: number;
        };
        /**
         * StreamMessage
         * @description One server-sent event.
         */
        StreamMessage: {
            /** @description identifies it; never reused */
            id: string;
            /**
             * @description the event
             * @enum {unknown}
             */
            event: "bucket" | "goal" | "hello" | "job" | "now" | "reset" | "revision" | "settings";
            /** @description JSON: StreamHello, an empty object, NowResponse, StreamRevision, StreamBucket, JobView, StreamGoal or StreamSetting, for hello, reset, now, revision, bucket, job, goal and settings */
            data: string;
        };
        /**
         * StreamRevision
         * @description The revision of the store.
         */
        StreamRevision: {
            /** @description a number that grows with every change */
            revision: number;
        };
        /**
         * StreamSetting
         * @description A setting was changed.
         */
        StreamSetting: {
            /** @description the key, or the value by which time is grouped */
            key: string;
        };
        /**
         * Suggestion
         * @description Uncategorized time that has something in common, and a rule for it. The same group always has the same id.
         */
        Suggestion: {
            /** @description identifies it; never reused */
            id: string;
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "app" | "domain" | "word";
            /** @description the value */
            value: string;
            /** @description the length in seconds */
            seconds: number;
            /** @description number of distinct combinations of window, tab and file */
            count: number;
            /** @description some examples */
            samples: components["schemas"]["SuggestionSample"][];
            /** @description the condition of the rule */
            condition: components["schemas"]["ConditionView"];
            /** @description the suggested category, which may not exist yet */
            category: string[];
            /** @description why this category is suggested, as text */
            reason: string;
            /**
             * @description what the suggestion is based on, for texts in other languages
             * @enum {unknown}
             */
            basis: "app" | "browser" | "domain" | "known_app" | "known_host" | "known_site" | "word";
            /** @description whether Dayline knows the app or site; otherwise the category is a guess */
            is_known: boolean;
        };
        /**
         * SuggestionSample
         * @description A sample of a suggestion.
         */
        SuggestionSample: {
            /** @description the name of the program */
            app: string | null;
            /** @description the title of the window, tab or report */
            title: string | null;
            /** @description the address of the page */
            url: string | null;
            /** @description the length in seconds */
            seconds: number;
        };
        /**
         * Suggestions
         * @description The largest groups of uncategorized time. `uncategorized` is the total of such time, in seconds.
         */
        Suggestions: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description seconds without a category */
            uncategorized: number;
            /** @description the suggestions, the most time first */
            suggestions: components["schemas"]["Suggestion"][];
            /** @description number of ignored suggestions that were left out */
            ignored: number;
        };
        /**
         * Summary
         * @description The totals of a range, and a list for each requested field.
         */
        Summary: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description the sums over the range */
            totals: components["schemas"]["Totals"];
            /** @description for each field, the values with the most time */
            lists: {
                [key: string]: components["schemas"]["Row"][];
            };
            /** @description number of keys that each list leaves out */
            more: {
                [key: string]: number;
            };
            /** @description seconds of active time without such a key */
            without: {
                [key: string]: number;
            };
            /** @description the devices with their time */
            devices: components["schemas"]["DeviceTime"][];
            /** @description with `by=category`: all categories and their parents, each before those below it */
            tree?: components["schemas"]["Branch"][];
            /** @description the range that the totals are compared with */
            compare?: components["schemas"]["ComparedRange"];
        };
        /**
         * SurveyedBucket
         * @description What an import would do to one bucket. `conflicts` lists the fields whose value differs in the document.
         */
        SurveyedBucket: {
            /** @description identifies it; never reused */
            id: string;
            /** @description whether the bucket does not exist yet */
            is_new: boolean;
            /** @description events that do not exist yet, or the new host name */
            new: number;
            /** @description events that exist already */
            known: number;
            /** @description events that are not valid and were left out */
            invalid: number;
            /** @description events that privacy rules drop */
            dropped: number;
            /** @description fields that differ from those of the existing bucket */
            conflicts: string[];
        };
        /**
         * SyncPreview
         * @description What joining a space would bring.
         */
        SyncPreview: {
            /** @description the folder */
            location: string;
            /** @description the devices that have published something there */
            devices: components["schemas"]["DeviceReport"][];
        };
        /**
         * SyncStatus
         * @description The state of sync. Without sync, everything but `is_on` and `sources` is null.
         */
        SyncStatus: {
            /** @description whether this device is in a space */
            is_on: boolean;
            /** @description the folder; null without sync */
            location: string | null;
            /** @description this device; null without sync */
            device: components["schemas"]["OwnDevice"] | null;
            /** @description the last pass; null before the first */
            report: components["schemas"]["PassReport"] | null;
            /** @description when the next pass begins; null if that is not known */
            next_pass: string | null;
            /** @description folders of ActivityWatch, whose devices are mirrored */
            sources: components["schemas"]["SourceReport"][];
        };
        /**
         * Ticket
         * @description Proves the session of this browser in one GET request of the path, as the parameter `ticket`.
         */
        Ticket: {
            /** @description valid once, as the parameter `ticket` of a download */
            ticket: string;
            /** @description seconds until it expires */
            expires_in_s: number;
        };
        /**
         * TimelineResponse
         * @description Lanes, sorted by device, and what the numbers in them refer to.
         */
        TimelineResponse: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description the number of pixels that the pieces are merged for */
            px: number;
            /** @description the rows of the timeline */
            lanes: components["schemas"]["LaneResponse"][];
            /** @description the groups, in the order of the values */
            keys: string[];
            /** @description the indices of texts that are truncated to 4,000 bytes and end with `…` */
            truncated_keys: number[];
            /** @description the titles of the pieces */
            titles: string[];
            /** @description the indices of texts that are truncated to 4,000 bytes and end with `…` */
            truncated_titles: number[];
            /** @description the categories */
            categories: string[][];
            /** @description covered share of each column of equal width, in the lane with the highest share */
            overview: number[];
            /** @description null if there are events in the range */
            nearest: components["schemas"]["NearestResponse"] | null;
        };
        /**
         * Timesheet
         * @description The days on which time counts, and the columns, the largest first.
         */
        Timesheet: {
            /** @description the range of time */
            range: components["schemas"]["RangeResponse"];
            /** @description the title of the window, tab or report */
            title: string;
            /**
             * @description the field by which time is grouped
             * @enum {unknown}
             */
            by: "app" | "category" | "label" | "project" | "title";
            /** @description the rules */
            rules: components["schemas"]["SheetRules"];
            /** @description the currency of the rates */
            currency: string;
            /** @description the columns of the timesheet */
            columns: components["schemas"]["SheetColumn"][];
            /** @description the number of days, or the days themselves */
            days: components["schemas"]["SheetDay"][];
            /** @description the sums over the range */
            totals: components["schemas"]["SheetTotals"];
            /** @description there are too many columns for paper: entries are listed below their day */
            is_listed: boolean;
            /**
             * @description what rounding each entry adds or removes, if it is 0.1 hours or more
             * @example Rounding each entry adds 9.6 h: 17.4 h → 27.0 h.
             */
            warning?: string;
        };
        /**
         * Totals
         * @description How the time of a range was spent.
         */
        Totals: {
            /**
             * @description seconds
             * @example 5400
             */
            active: number;
            /**
             * @description active time without the filters
             * @example 5400
             */
            unfiltered: number;
            /**
             * @description time in which a device was AFK and none was active
             * @example 5400
             */
            away: number;
            /**
             * @description other time, up to now
             * @example 5400
             */
            nodata: number;
            /** @description start of the first active time */
            first: string | null;
            /** @description end of the last active time */
            last: string | null;
            /**
             * @description longest time in one category, or in one app without a category, with interruptions of less than two minutes that are at most 10 % of it
             * @example 5400
             */
            longest_focus: number;
            /** @description when that was */
            focus: components["schemas"]["Focus"] | null;
            /** @description changes of the app */
            switches: number;
            /**
             * @description time on several devices at once: the sum of all devices exceeds `active` by it
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
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "delete_bucket" | "delete_buckets" | "delete_events" | "insert_events" | "mend_events" | "merge_buckets" | "redaction" | "rehost_bucket" | "remove_alias" | "rename_bucket" | "replace_events" | "split_event" | "thin_bucket" | "update_bucket";
            /** @description the bucket's id at that time; empty for several buckets */
            bucket: string;
            /** @description the id that it was renamed to or merged into, or the alias that was deleted */
            other: string;
            /** @description the events, or how many there are */
            events: number;
            /**
             * Format: date-time
             * @description when it was made
             * @example 2026-02-03T08:15:31.250Z
             */
            made: string;
            /**
             * Format: date-time
             * @description when it expires
             * @example 2026-02-03T08:15:31.250Z
             */
            until: string;
            /**
             * @description its current state
             * @enum {unknown}
             */
            state: "doing" | "done" | "undoing" | "undone";
            /** @description null if it is finished */
            progress: components["schemas"]["OperationProgress"] | null;
            /** @description operations with the same group are one change: POST /api/1/undo/groups/{group} */
            group: string;
            /** @description who made the change: `browser`, `command`, a client or a key */
            by: string;
            /** @description start of the earliest event that it changed */
            start: string | null;
            /** @description end of the latest event that it changed */
            end: string | null;
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
            /**
             * @description which kind it is
             * @enum {unknown}
             */
            kind: "delete_bucket" | "delete_buckets" | "delete_events" | "insert_events" | "mend_events" | "merge_buckets" | "redaction" | "rehost_bucket" | "remove_alias" | "rename_bucket" | "replace_events" | "split_event" | "thin_bucket" | "update_bucket";
            /** @description the id of the bucket */
            bucket: string;
            /** @description the events, or how many there are */
            events: number;
            /** @description whether what was recorded since was merged into it */
            merged: boolean;
        };
        /**
         * Welcome
         * @description What this server contains, and what can be imported.
         */
        Welcome: {
            /** @description true if there are no events except the demo's */
            is_empty: boolean;
            /** @description databases of ActivityWatch servers on this computer */
            found: components["schemas"]["SourceDatabase"][];
            /** @description whether there is demo data */
            demo: components["schemas"]["DemoState"];
            /** @description the URL for watchers on this computer */
            address: string;
            /** @description well-known watchers, and whether they have sent something */
            watchers: components["schemas"]["KnownWatcher"][];
        };
        /**
         * WorkHours
         * @description Work hours by day of the week; null on days off. Time outside of them is overtime.
         */
        WorkHours: {
            /** @description working hours on Monday; null for none */
            monday: string | null;
            /** @description working hours on Tuesday; null for none */
            tuesday: string | null;
            /** @description working hours on Wednesday; null for none */
            wednesday: string | null;
            /** @description working hours on Thursday; null for none */
            thursday: string | null;
            /** @description working hours on Friday; null for none */
            friday: string | null;
            /** @description working hours on Saturday; null for none */
            saturday: string | null;
            /** @description working hours on Sunday; null for none */
            sunday: string | null;
        };
        /**
         * WorkResponse
         * @description Working hours of the day, and of the week that contains it.
         */
        WorkResponse: {
            /** @description the day that the totals belong to */
            day: components["schemas"]["WorkTime"];
            /** @description the same for the week */
            week: components["schemas"]["WorkTime"];
        };
        /**
         * WorkTime
         * @description Active time inside and outside working hours.
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
            /** @description the year */
            year: number;
            /** @description the events, or how many there are */
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
        Unauthorized: {
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
        /** @description identifies the request in the server's log */
        "X-Request-Id": string;
        /** @description the revision of the store when it was read: a number that grows with every change; not sent to keys that are limited to some buckets */
        Revision: number;
        /** @description identifies this version of the response */
        ETag: string;
        /** @description seconds to wait before a retry */
        "Retry-After": number;
    };
    pathItems: never;
}
export type ActivitySession = components['schemas']['ActivitySession'];
export type AdoptedBucket = components['schemas']['AdoptedBucket'];
export type Adopting = components['schemas']['Adopting'];
export type Adoption = components['schemas']['Adoption'];
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
export type BackupSchedule = components['schemas']['BackupSchedule'];
export type BackupView = components['schemas']['BackupView'];
export type Branch = components['schemas']['Branch'];
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
export type CategoryView = components['schemas']['CategoryView'];
export type ChangedAnnotation = components['schemas']['ChangedAnnotation'];
export type ChangedCategories = components['schemas']['ChangedCategories'];
export type ChangedEvent = components['schemas']['ChangedEvent'];
export type ClassicRuleView = components['schemas']['ClassicRuleView'];
export type Compacted = components['schemas']['Compacted'];
export type Compaction = components['schemas']['Compaction'];
export type ComparedRange = components['schemas']['ComparedRange'];
export type Condition = components['schemas']['Condition'];
export type ConditionView = components['schemas']['ConditionView'];
export type CopiedSettings = components['schemas']['CopiedSettings'];
export type DataFilter = components['schemas']['DataFilter'];
export type DeletedEvents = components['schemas']['DeletedEvents'];
export type Deletion = components['schemas']['Deletion'];
export type DemoRemoved = components['schemas']['DemoRemoved'];
export type DemoRequest = components['schemas']['DemoRequest'];
export type DemoState = components['schemas']['DemoState'];
export type DeviceNow = components['schemas']['DeviceNow'];
export type DeviceReport = components['schemas']['DeviceReport'];
export type DeviceState = components['schemas']['DeviceState'];
export type DeviceTime = components['schemas']['DeviceTime'];
export type DeviceView = components['schemas']['DeviceView'];
export type DisplayColors = components['schemas']['DisplayColors'];
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
export type FixRequest = components['schemas']['FixRequest'];
export type FixResult = components['schemas']['FixResult'];
export type FixedBucket = components['schemas']['FixedBucket'];
export type Focus = components['schemas']['Focus'];
export type FocusActivity = components['schemas']['FocusActivity'];
export type FocusInterruption = components['schemas']['FocusInterruption'];
export type Goal = components['schemas']['Goal'];
export type GoalChange = components['schemas']['GoalChange'];
export type GoalPeriodResponse = components['schemas']['GoalPeriodResponse'];
export type GoalProgress = components['schemas']['GoalProgress'];
export type GoalsResponse = components['schemas']['GoalsResponse'];
export type HealthView = components['schemas']['HealthView'];
export type HeartbeatBody = components['schemas']['HeartbeatBody'];
export type Highlight = components['schemas']['Highlight'];
export type Histogram = components['schemas']['Histogram'];
export type HitEvent = components['schemas']['HitEvent'];
export type HostChange = components['schemas']['HostChange'];
export type IgnoredSuggestion = components['schemas']['IgnoredSuggestion'];
export type IgnoredSuggestions = components['schemas']['IgnoredSuggestions'];
export type Import = components['schemas']['Import'];
export type ImportReport = components['schemas']['ImportReport'];
export type ImportSurvey = components['schemas']['ImportSurvey'];
export type ImportedBucket = components['schemas']['ImportedBucket'];
export type ImportedCategory = components['schemas']['ImportedCategory'];
export type Info = components['schemas']['Info'];
export type Invite = components['schemas']['Invite'];
export type InvitedLocation = components['schemas']['InvitedLocation'];
export type JobFault = components['schemas']['JobFault'];
export type JobList = components['schemas']['JobList'];
export type JobProgress = components['schemas']['JobProgress'];
export type JobResult = components['schemas']['JobResult'];
export type JobView = components['schemas']['JobView'];
export type KeptReport = components['schemas']['KeptReport'];
export type KeyRotation = components['schemas']['KeyRotation'];
export type KeyView = components['schemas']['KeyView'];
export type KnownWatcher = components['schemas']['KnownWatcher'];
export type LaneResponse = components['schemas']['LaneResponse'];
export type Leaving = components['schemas']['Leaving'];
export type LeftOut = components['schemas']['LeftOut'];
export type LikelyName = components['schemas']['LikelyName'];
export type ListedEvent = components['schemas']['ListedEvent'];
export type LogRecord = components['schemas']['LogRecord'];
export type MadeKey = components['schemas']['MadeKey'];
export type MergeRequest = components['schemas']['MergeRequest'];
export type Merged = components['schemas']['Merged'];
export type MigrationProof = components['schemas']['MigrationProof'];
export type MigrationRequest = components['schemas']['MigrationRequest'];
export type Move = components['schemas']['Move'];
export type NearestResponse = components['schemas']['NearestResponse'];
export type NewAnnotation = components['schemas']['NewAnnotation'];
export type NewBucket = components['schemas']['NewBucket'];
export type NewCategory = components['schemas']['NewCategory'];
export type NewCategoryDocument = components['schemas']['NewCategoryDocument'];
export type NewGoal = components['schemas']['NewGoal'];
export type NewKey = components['schemas']['NewKey'];
export type NewRule = components['schemas']['NewRule'];
export type NewSession = components['schemas']['NewSession'];
export type NewSource = components['schemas']['NewSource'];
export type NewTicket = components['schemas']['NewTicket'];
export type NewWorkHours = components['schemas']['NewWorkHours'];
export type NowResponse = components['schemas']['NowResponse'];
export type OperationProgress = components['schemas']['OperationProgress'];
export type OtherSessions = components['schemas']['OtherSessions'];
export type OwnDevice = components['schemas']['OwnDevice'];
export type OwnServer = components['schemas']['OwnServer'];
export type Parameter = components['schemas']['Parameter'];
export type PassReport = components['schemas']['PassReport'];
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
export type Project = components['schemas']['Project'];
export type ProjectList = components['schemas']['ProjectList'];
export type ProjectView = components['schemas']['ProjectView'];
export type ProjectsChange = components['schemas']['ProjectsChange'];
export type ProvenBucket = components['schemas']['ProvenBucket'];
export type ProvenSums = components['schemas']['ProvenSums'];
export type QueryCheck = components['schemas']['QueryCheck'];
export type QueryExplanation = components['schemas']['QueryExplanation'];
export type QueryFault = components['schemas']['QueryFault'];
export type QueryLines = components['schemas']['QueryLines'];
export type QueryRequest = components['schemas']['QueryRequest'];
export type QueryResponse = components['schemas']['QueryResponse'];
export type RangeResponse = components['schemas']['RangeResponse'];
export type Ready = components['schemas']['Ready'];
export type RecordedWindow = components['schemas']['RecordedWindow'];
export type RecordingBucket = components['schemas']['RecordingBucket'];
export type RecordingChange = components['schemas']['RecordingChange'];
export type RecordingView = components['schemas']['RecordingView'];
export type Recovered = components['schemas']['Recovered'];
export type RedactionPreview = components['schemas']['RedactionPreview'];
export type RedactionRequest = components['schemas']['RedactionRequest'];
export type RedactionView = components['schemas']['RedactionView'];
export type RemovedAnnotation = components['schemas']['RemovedAnnotation'];
export type RemovedDemoBucket = components['schemas']['RemovedDemoBucket'];
export type RemovedEvent = components['schemas']['RemovedEvent'];
export type Removing = components['schemas']['Removing'];
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
export type RuleView = components['schemas']['RuleView'];
export type RulesView = components['schemas']['RulesView'];
export type Sample = components['schemas']['Sample'];
export type SearchHit = components['schemas']['SearchHit'];
export type SearchResponse = components['schemas']['SearchResponse'];
export type Series = components['schemas']['Series'];
export type ServerSetting = components['schemas']['ServerSetting'];
export type SessionView = components['schemas']['SessionView'];
export type SessionsResponse = components['schemas']['SessionsResponse'];
export type SetHostRequest = components['schemas']['SetHostRequest'];
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
export type SourceDatabase = components['schemas']['SourceDatabase'];
export type SourceDevice = components['schemas']['SourceDevice'];
export type SourceList = components['schemas']['SourceList'];
export type SourceReport = components['schemas']['SourceReport'];
export type Space = components['schemas']['Space'];
export type SpaceLocation = components['schemas']['SpaceLocation'];
export type SplitEvent = components['schemas']['SplitEvent'];
export type SplitRequest = components['schemas']['SplitRequest'];
export type StarterSet = components['schemas']['StarterSet'];
export type StatementReport = components['schemas']['StatementReport'];
export type Statistics = components['schemas']['Statistics'];
export type StoreProof = components['schemas']['StoreProof'];
export type StoredDevice = components['schemas']['StoredDevice'];
export type StoredNames = components['schemas']['StoredNames'];
export type StoredSpace = components['schemas']['StoredSpace'];
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
export type SyncPreview = components['schemas']['SyncPreview'];
export type SyncStatus = components['schemas']['SyncStatus'];
export type Ticket = components['schemas']['Ticket'];
export type TimelineResponse = components['schemas']['TimelineResponse'];
export type Timesheet = components['schemas']['Timesheet'];
export type Totals = components['schemas']['Totals'];
export type TrashItem = components['schemas']['TrashItem'];
export type Undone = components['schemas']['Undone'];
export type Welcome = components['schemas']['Welcome'];
export type WorkHours = components['schemas']['WorkHours'];
export type WorkResponse = components['schemas']['WorkResponse'];
export type WorkTime = components['schemas']['WorkTime'];
export type YearSpace = components['schemas']['YearSpace'];
export type ResponseBucketExists = components['responses']['BucketExists'];
export type ResponseMalformed = components['responses']['Malformed'];
export type ResponseQueryError = components['responses']['QueryError'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
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
                    /**
                     * @example {
                     *       "hostname": "laptop",
                     *       "version": "v0.1.0 (dayline)",
                     *       "testing": false,
                     *       "device_id": "text"
                     *     }
                     */
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
            /** @description the server is ready */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready"
                     *     }
                     */
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
            /** @description the records, the newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "timestamp": "2026-11-19T14:13:45.898109Z",
                     *         "level": "info",
                     *         "logger": "dayline",
                     *         "message": "Data: /home/you/dayline.db"
                     *       },
                     *       {
                     *         "timestamp": "2026-11-19T14:13:45.895023Z",
                     *         "level": "info",
                     *         "logger": "dayline",
                     *         "message": "Dayline 0.1.0 is ready at http://localhost:5600/"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["LogRecord"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "version": "0.1.0",
                     *       "hostname": "laptop",
                     *       "started": "2026-11-19T14:13:45.858167Z",
                     *       "uptime": 7.269313,
                     *       "address": "http://127.0.0.1:5600",
                     *       "hosts": [
                     *         "127.0.0.1",
                     *         "[::1]"
                     *       ],
                     *       "origins": [
                     *         "http://127.0.0.1:5600",
                     *         "http://[::1]:5600"
                     *       ],
                     *       "needs_keys": false,
                     *       "is_testing": false,
                     *       "time_zone": "Etc/UTC",
                     *       "database": "/home/you/dayline.db",
                     *       "log_file": "/home/you/dayline.db.d/dayline.log",
                     *       "settings_file": "/home/you/.config/dayline/config.toml",
                     *       "settings": [
                     *         {
                     *           "name": "server.host",
                     *           "value": "localhost",
                     *           "source": "default"
                     *         },
                     *         {
                     *           "name": "server.port",
                     *           "value": 5600,
                     *           "source": "command line"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OwnServer"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    prove_store: {
        parameters: {
            query: {
                /** @description 32 to 128 random hexadecimal digits */
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
                    /**
                     * @example {
                     *       "proof": "text"
                     *     }
                     */
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
            /** @description the data here, databases to import, and the watchers */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "is_empty": true,
                     *       "found": [],
                     *       "demo": {
                     *         "present": false,
                     *         "events": 0
                     *       },
                     *       "address": "http://127.0.0.1:5600",
                     *       "watchers": [
                     *         {
                     *           "client": "aw-watcher-window",
                     *           "what": "the active window",
                     *           "seen": false,
                     *           "last": null,
                     *           "health": "quiet",
                     *           "install": "https://docs.activitywatch.net/en/latest/watchers.html"
                     *         },
                     *         {
                     *           "client": "aw-watcher-afk",
                     *           "what": "whether you are at the computer",
                     *           "seen": false,
                     *           "last": null,
                     *           "health": "quiet",
                     *           "install": "https://docs.activitywatch.net/en/latest/watchers.html"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Welcome"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "id": "_JloJr_7YRsVsnBtsL6dfQ",
                     *       "kind": "migration",
                     *       "state": "running",
                     *       "progress": {
                     *         "done": 0,
                     *         "total": null
                     *       },
                     *       "started": "2026-11-19T14:13:46.402598Z",
                     *       "finished": null,
                     *       "result": null,
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the job that creates it */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "r_n494xKf84ozsnzIpWCIQ",
                     *       "kind": "demo",
                     *       "state": "running",
                     *       "progress": {
                     *         "done": 0,
                     *         "total": null
                     *       },
                     *       "started": "2026-11-19T14:13:48.545421Z",
                     *       "finished": null,
                     *       "result": null,
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description what was removed, and the undo entry */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "undo": 8
                     *         },
                     *         {
                     *           "bucket": "aw-watcher-afk_laptop",
                     *           "undo": 8
                     *         }
                     *       ],
                     *       "undo": [
                     *         8
                     *       ],
                     *       "has_removed_categories": true
                     *     }
                     */
                    "application/json": components["schemas"]["DemoRemoved"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_recording: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the state of Dayline's watcher */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "enabled": false,
                     *       "state": "off",
                     *       "can_record": false,
                     *       "session": null,
                     *       "message": "the server runs in a container, which has no desktop session",
                     *       "hint": "run watchers on the computer that you want to record, and let them send to this server",
                     *       "hostname": "laptop",
                     *       "is_local": true,
                     *       "since": null,
                     *       "buckets": [],
                     *       "window": null
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    change_recording: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordingChange"];
            };
        };
        responses: {
            /** @description the state after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "enabled": false,
                     *       "state": "off",
                     *       "can_record": false,
                     *       "session": null,
                     *       "message": "the server runs in a container, which has no desktop session",
                     *       "hint": "run watchers on the computer that you want to record, and let them send to this server",
                     *       "hostname": "laptop",
                     *       "is_local": true,
                     *       "since": null,
                     *       "buckets": [],
                     *       "window": null
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
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
            /** @description the buckets by id */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "aw-watcher-window_laptop": {
                     *         "id": "aw-watcher-window_laptop",
                     *         "type": "currentwindow",
                     *         "client": "aw-watcher-window",
                     *         "hostname": "laptop",
                     *         "created": "2026-11-19T14:13:49.280070Z",
                     *         "data": {},
                     *         "metadata": {
                     *           "start": null,
                     *           "end": null
                     *         },
                     *         "last_updated": null,
                     *         "events": null
                     *       },
                     *       "aw-watcher-afk_laptop": {
                     *         "id": "aw-watcher-afk_laptop",
                     *         "type": "afkstatus",
                     *         "client": "aw-watcher-afk",
                     *         "hostname": "laptop",
                     *         "created": "2026-11-19T14:13:49.283429Z",
                     *         "data": {},
                     *         "metadata": {
                     *           "start": null,
                     *           "end": null
                     *         },
                     *         "last_updated": null,
                     *         "events": null
                     *       },
                     *       "aw-watcher-web-firefox_laptop": {
                     *         "id": "aw-watcher-web-firefox_laptop",
                     *         "type": "web.tab.current",
                     *         "client": "aw-client-web",
                     *         "hostname": "laptop",
                     *         "created": "2026-11-19T14:13:49.294782Z",
                     *         "data": {},
                     *         "metadata": {
                     *           "start": null,
                     *           "end": null
                     *         },
                     *         "last_updated": null,
                     *         "events": null
                     *       },
                     *       "aw-watcher-window_desktop": {
                     *         "id": "aw-watcher-window_desktop",
                     *         "type": "currentwindow",
                     *         "client": "aw-watcher-window",
                     *         "hostname": "desktop",
                     *         "created": "2026-11-19T14:13:49.305466Z",
                     *         "data": {},
                     *         "metadata": {
                     *           "start": null,
                     *           "end": null
                     *         },
                     *         "last_updated": null,
                     *         "events": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        [key: string]: components["schemas"]["BucketView"];
                    };
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "id": "aw-watcher-window_laptop",
                     *       "type": "currentwindow",
                     *       "client": "aw-watcher-window",
                     *       "hostname": "laptop",
                     *       "created": "2026-11-19T14:13:49.280070Z",
                     *       "data": {},
                     *       "metadata": {
                     *         "start": null,
                     *         "end": null
                     *       },
                     *       "last_updated": null,
                     *       "events": null
                     *     }
                     */
                    "application/json": components["schemas"]["BucketView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            304: components["responses"]["BucketExists"];
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_bucket_states: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all buckets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "this_device": "laptop",
                     *       "events": 0,
                     *       "bytes": null,
                     *       "buckets": [
                     *         {
                     *           "id": "aw-watcher-window_laptop",
                     *           "device": "laptop",
                     *           "type": "currentwindow",
                     *           "client": "aw-watcher-window",
                     *           "created": "2026-11-19T14:13:49.280070Z",
                     *           "is_demo": false,
                     *           "first": null,
                     *           "last": null,
                     *           "events": 0,
                     *           "bytes": null,
                     *           "aliases": [],
                     *           "spark": [
                     *             0,
                     *             0
                     *           ],
                     *           "health": "quiet",
                     *           "silent_since": null,
                     *           "usual_interval": null
                     *         },
                     *         {
                     *           "id": "aw-watcher-afk_laptop",
                     *           "device": "laptop",
                     *           "type": "afkstatus",
                     *           "client": "aw-watcher-afk",
                     *           "created": "2026-11-19T14:13:49.283429Z",
                     *           "is_demo": false,
                     *           "first": null,
                     *           "last": null,
                     *           "events": 0,
                     *           "bytes": null,
                     *           "aliases": [],
                     *           "spark": [
                     *             0,
                     *             0
                     *           ],
                     *           "health": "quiet",
                     *           "silent_since": null,
                     *           "usual_interval": null
                     *         }
                     *       ],
                     *       "devices": [
                     *         {
                     *           "device": "laptop",
                     *           "health": "quiet",
                     *           "last": null
                     *         },
                     *         {
                     *           "device": "desktop",
                     *           "health": "quiet",
                     *           "last": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BucketStates"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
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
                    /**
                     * @example {
                     *       "id": "aw-watcher-window_older",
                     *       "former_id": "aw-watcher-window_old",
                     *       "aliases": [
                     *         "aw-watcher-window_old"
                     *       ],
                     *       "undo": 19
                     *     }
                     */
                    "application/json": components["schemas"]["Renamed"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description what was moved */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "aw-watcher-window_oldest",
                     *       "into": "aw-watcher-window_desktop",
                     *       "events": 0,
                     *       "moved": 0,
                     *       "skipped": 0,
                     *       "overlapping": 0,
                     *       "warnings": [
                     *         "different host names: 'oldest' and 'desktop'"
                     *       ],
                     *       "undo": 22
                     *     }
                     */
                    "application/json": components["schemas"]["Merged"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
    set_bucket_host: {
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
                "application/json": components["schemas"]["SetHostRequest"];
            };
        };
        responses: {
            /** @description the bucket with its new host */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "aw-watcher-window_oldest",
                     *       "former_id": "aw-watcher-window_older",
                     *       "hostname": "oldest",
                     *       "former_hostname": "older",
                     *       "aliases": [
                     *         "aw-watcher-window_older"
                     *       ],
                     *       "merged": null,
                     *       "undo": 21
                     *     }
                     */
                    "application/json": components["schemas"]["HostChange"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the aliases, ordered by id */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "aw-watcher-window_old",
                     *         "bucket": "aw-watcher-window_older",
                     *         "made": "2026-11-19T14:13:49.341885Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Alias"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the undo entry */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "undo": 20
                     *     }
                     */
                    "application/json": components["schemas"]["AliasRemoved"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description max events, the newest ones; negative means all */
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
                    /**
                     * @example [
                     *       {
                     *         "id": 2743,
                     *         "timestamp": "2026-02-03T08:40:00Z",
                     *         "duration": 30,
                     *         "data": {
                     *           "app": "Code",
                     *           "title": "main.py"
                     *         }
                     *       },
                     *       {
                     *         "id": 2738,
                     *         "timestamp": "2026-02-03T08:36:00Z",
                     *         "duration": 60,
                     *         "data": {
                     *           "app": "Code",
                     *           "title": "x"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["EventView"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example [
                     *       {
                     *         "id": 2735,
                     *         "timestamp": "2026-02-03T08:15:31.250Z",
                     *         "duration": 12.5,
                     *         "data": {
                     *           "app": "Editor",
                     *           "title": "notes.md"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["EventView"][] | components["schemas"]["EventView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the number of events */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example 6 */
                    "application/json": number;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the event */
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
                    /**
                     * @example {
                     *       "id": 2743,
                     *       "timestamp": "2026-02-03T08:40:00Z",
                     *       "duration": 30,
                     *       "data": {
                     *         "app": "Code",
                     *         "title": "main.py"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EventView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the event */
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
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    send_heartbeat: {
        parameters: {
            query: {
                /** @description max gap in seconds to the last event for the heartbeat to extend it */
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
                    /**
                     * @example {
                     *       "id": 2743,
                     *       "timestamp": "2026-02-03T08:40:00Z",
                     *       "duration": 30,
                     *       "data": {
                     *         "app": "Code",
                     *         "title": "main.py"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EventView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description related data to include, separated by commas: category, notes */
                include?: string;
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the id of the event */
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
                    /**
                     * @example {
                     *       "id": 2743,
                     *       "timestamp": "2026-02-03T08:40:00Z",
                     *       "end": "2026-02-03T08:40:30Z",
                     *       "duration": 30,
                     *       "data": {
                     *         "app": "Code",
                     *         "title": "main.py"
                     *       },
                     *       "bucket": "aw-watcher-window_laptop",
                     *       "device": "laptop",
                     *       "type": "currentwindow",
                     *       "is_last": true,
                     *       "truncated": []
                     *     }
                     */
                    "application/json": components["schemas"]["EventInContext"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    remove_event: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the id of the event */
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deleted event */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": {
                     *         "id": 2743,
                     *         "timestamp": "2026-02-03T08:40:00Z",
                     *         "end": "2026-02-03T08:40:30Z",
                     *         "duration": 30,
                     *         "data": {
                     *           "app": "Code",
                     *           "title": "main.py"
                     *         },
                     *         "bucket": "aw-watcher-window_laptop",
                     *         "device": "laptop",
                     *         "type": "currentwindow",
                     *         "is_last": false,
                     *         "truncated": []
                     *       },
                     *       "undo": 25
                     *     }
                     */
                    "application/json": components["schemas"]["RemovedEvent"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the id of the event */
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
            /** @description the changed event */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": {
                     *         "id": 2743,
                     *         "timestamp": "2026-02-03T08:40:00Z",
                     *         "end": "2026-02-03T08:41:30Z",
                     *         "duration": 90,
                     *         "data": {
                     *           "app": "Code",
                     *           "title": "main.py"
                     *         },
                     *         "bucket": "aw-watcher-window_laptop",
                     *         "device": "laptop",
                     *         "type": "currentwindow",
                     *         "is_last": true,
                     *         "truncated": []
                     *       },
                     *       "undo": 23
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedEvent"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the bucket's id: any text, percent-encoded */
                bucket_id: string;
                /** @description the id of the event */
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
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": 2743,
                     *           "timestamp": "2026-02-03T08:40:00Z",
                     *           "end": "2026-02-03T08:40:30Z",
                     *           "duration": 30,
                     *           "data": {
                     *             "app": "Code",
                     *             "title": "main.py"
                     *           },
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "device": "laptop",
                     *           "type": "currentwindow",
                     *           "is_last": false,
                     *           "truncated": []
                     *         },
                     *         {
                     *           "id": 2744,
                     *           "timestamp": "2026-02-03T08:40:30Z",
                     *           "end": "2026-02-03T08:41:30Z",
                     *           "duration": 60,
                     *           "data": {
                     *             "app": "Code",
                     *             "title": "main.py"
                     *           },
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "device": "laptop",
                     *           "type": "currentwindow",
                     *           "is_last": true,
                     *           "truncated": []
                     *         }
                     *       ],
                     *       "undo": 24
                     *     }
                     */
                    "application/json": components["schemas"]["SplitEvent"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description what was or would be deleted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "aw-watcher-window_desktop",
                     *       "dry_run": false,
                     *       "events": 1,
                     *       "seconds": 60,
                     *       "samples": [
                     *         {
                     *           "id": 2742,
                     *           "timestamp": "2026-02-03T08:10:00Z",
                     *           "duration": 60,
                     *           "data": {
                     *             "app": "Editor",
                     *             "title": "draft 2"
                     *           }
                     *         }
                     *       ],
                     *       "skipped": 0,
                     *       "undo": 27,
                     *       "cut": 0
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedEvents"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description only events that end after this time, or begin at or after it */
                start?: string;
                /** @description only events that begin before this time */
                end?: string;
                /** @description `field:op:value`, with `op` `is` or `has`; if repeated, all must match */
                filter?: string[];
                /** @description which events come first; default: `newest` */
                order?: "newest" | "oldest";
                /** @description max events, up to 1,000; default: 100 */
                limit?: number;
                /** @description the `cursor` of the previous page */
                cursor?: string;
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
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
            /** @description a page of events */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": 2743,
                     *           "timestamp": "2026-02-03T08:40:00Z",
                     *           "end": "2026-02-03T08:40:30Z",
                     *           "duration": 30,
                     *           "data": {
                     *             "app": "Code",
                     *             "title": "main.py"
                     *           },
                     *           "truncated": []
                     *         },
                     *         {
                     *           "id": 2739,
                     *           "timestamp": "2026-02-03T08:36:00Z",
                     *           "end": "2026-02-03T08:37:00Z",
                     *           "duration": 60,
                     *           "data": {
                     *             "app": "Code",
                     *             "title": "x"
                     *           },
                     *           "truncated": []
                     *         }
                     *       ],
                     *       "cursor": "MTc3MDEwNzc2MDAwMDAwMC4yNzM5"
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    run_query: {
        parameters: {
            query?: {
                /** @description the value of `NAME` in the program */
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
                    /**
                     * @example [
                     *       [
                     *         {
                     *           "id": 2736,
                     *           "timestamp": "2026-02-03T08:20:00Z",
                     *           "duration": 600,
                     *           "data": {
                     *             "app": "Code",
                     *             "title": "main.py"
                     *           }
                     *         },
                     *         {
                     *           "id": 2737,
                     *           "timestamp": "2026-02-03T08:30:00Z",
                     *           "duration": 300,
                     *           "data": {
                     *             "app": "Mail",
                     *             "title": "Payroll 2026.xlsx"
                     *           }
                     *         }
                     *       ]
                     *     ]
                     */
                    "application/json": (Record<string, never> | unknown[] | string | number | boolean | null)[];
                };
            };
            400: components["responses"]["QueryError"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the results and statistics */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         [
                     *           {
                     *             "id": 2736,
                     *             "timestamp": "2026-02-03T08:20:00Z",
                     *             "duration": 600,
                     *             "data": {
                     *               "app": "Code",
                     *               "title": "main.py"
                     *             }
                     *           },
                     *           {
                     *             "id": 2737,
                     *             "timestamp": "2026-02-03T08:30:00Z",
                     *             "duration": 300,
                     *             "data": {
                     *               "app": "Mail",
                     *               "title": "Payroll 2026.xlsx"
                     *             }
                     *           }
                     *         ]
                     *       ],
                     *       "statistics": {
                     *         "seconds": 0.0012694379993263283,
                     *         "events_read": 5,
                     *         "segments_read": 0,
                     *         "rows_read": 5,
                     *         "result_bytes": 428
                     *       },
                     *       "printed": []
                     *     }
                     */
                    "application/json": components["schemas"]["QueryResponse"];
                };
            };
            400: components["responses"]["QueryError"];
            401: components["responses"]["Unauthorized"];
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
            /** @description whether it is valid */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "is_valid": true,
                     *       "errors": []
                     *     }
                     */
                    "application/json": components["schemas"]["QueryCheck"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description a report for each statement */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "statements": [
                     *         {
                     *           "period": 0,
                     *           "line": 1,
                     *           "text": "events = flood(query_bucket(\"aw-watcher-window_laptop\"))",
                     *           "seconds": 0.0009492750004937989,
                     *           "events_in": 5,
                     *           "events_out": 4,
                     *           "reads": [
                     *             {
                     *               "bucket": "aw-watcher-window_laptop",
                     *               "segments": 0,
                     *               "segment_events": 0,
                     *               "row_events": 5
                     *             }
                     *           ],
                     *           "fallbacks": []
                     *         },
                     *         {
                     *           "period": 0,
                     *           "line": 2,
                     *           "text": "RETURN = sort_by_duration(events)",
                     *           "seconds": 0.00006223199943633517,
                     *           "events_in": 4,
                     *           "events_out": 4,
                     *           "reads": [],
                     *           "fallbacks": []
                     *         }
                     *       ],
                     *       "statistics": {
                     *         "seconds": 0.0011232580000068992,
                     *         "events_read": 5,
                     *         "segments_read": 0,
                     *         "rows_read": 5,
                     *         "result_bytes": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["QueryExplanation"];
                };
            };
            400: components["responses"]["QueryError"];
            401: components["responses"]["Unauthorized"];
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
            /** @description all functions */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "query_bucket",
                     *         "summary": "The events of a bucket that touch the period, clipped to it, newest first.",
                     *         "parameters": [
                     *           {
                     *             "name": "bucket",
                     *             "kind": "string",
                     *             "description": "The id of the bucket.",
                     *             "is_optional": false,
                     *             "is_variadic": false
                     *           }
                     *         ],
                     *         "returns": "events",
                     *         "example": "events = query_bucket(\"aw-watcher-window_laptop\");",
                     *         "is_over_period": true
                     *       },
                     *       {
                     *         "name": "query_bucket_eventcount",
                     *         "summary": "How many events of a bucket touch the period.",
                     *         "parameters": [
                     *           {
                     *             "name": "bucket",
                     *             "kind": "string",
                     *             "description": "The id of the bucket.",
                     *             "is_optional": false,
                     *             "is_variadic": false
                     *           }
                     *         ],
                     *         "returns": "number",
                     *         "example": "RETURN = query_bucket_eventcount(\"aw-watcher-window_laptop\");",
                     *         "is_over_period": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Signature"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    search: {
        parameters: {
            query: {
                /** @description the text to search for */
                q: string;
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only this bucket, by its id; may be repeated */
                bucket?: string[];
                /** @description how events are grouped into hits: by data (`value`, the default), title, URL, domain or app; `none`: every event is a hit; `thing`: the window, the tab and the file on the screen are one hit, with its active time */
                group?: "app" | "domain" | "none" | "thing" | "title" | "url" | "value";
                /** @description only the events of one hit of `group=thing`, by its `key`; use it with `group=none` */
                thing?: string;
                /** @description `rank` (the default) prefers long and recent time; `recent`, `oldest`, `time` or `count` */
                sort?: "count" | "oldest" | "rank" | "recent" | "time";
                /** @description the `cursor` of the previous page */
                cursor?: string;
                /** @description max hits, up to 500; default: 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of hits, and statistics of all hits */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-02-03T08:20:00+00:00",
                     *         "end": "2026-02-03T08:30:00.000001+00:00",
                     *         "tz": "UTC",
                     *         "day_start": "04:00",
                     *         "week_start": "monday",
                     *         "label": "3 Feb 2026 08:20 to 3 Feb 2026 08:30"
                     *       },
                     *       "understood": "main",
                     *       "total": 1,
                     *       "events": 1,
                     *       "seconds": 600,
                     *       "hits": [
                     *         {
                     *           "key": null,
                     *           "data": {
                     *             "app": "Code",
                     *             "title": "main.py"
                     *           },
                     *           "truncated": [],
                     *           "highlights": [
                     *             {
                     *               "path": [
                     *                 "title"
                     *               ],
                     *               "ranges": [
                     *                 [
                     *                   0,
                     *                   4
                     *                 ]
                     *               ]
                     *             }
                     *           ],
                     *           "seconds": 600,
                     *           "count": 1,
                     *           "first": "2026-02-03T08:20:00+00:00",
                     *           "last": "2026-02-03T08:30:00+00:00",
                     *           "category": [
                     *             "Uncategorized"
                     *           ],
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "device": "laptop",
                     *           "type": "currentwindow",
                     *           "event": {
                     *             "id": 2736,
                     *             "timestamp": "2026-02-03T08:20:00+00:00",
                     *             "duration": 600
                     *           }
                     *         }
                     *       ],
                     *       "cursor": null,
                     *       "facets": {
                     *         "device": [
                     *           {
                     *             "key": "laptop",
                     *             "seconds": 600,
                     *             "count": 1
                     *           }
                     *         ],
                     *         "type": [
                     *           {
                     *             "key": "currentwindow",
                     *             "seconds": 600,
                     *             "count": 1
                     *           }
                     *         ],
                     *         "bucket": [
                     *           {
                     *             "key": "aw-watcher-window_laptop",
                     *             "seconds": 600,
                     *             "count": 1
                     *           }
                     *         ]
                     *       },
                     *       "histogram": {
                     *         "bin": "hour",
                     *         "edges": [
                     *           "2026-02-03T08:20:00+00:00",
                     *           "2026-02-03T08:30:00.000001+00:00"
                     *         ],
                     *         "seconds": [
                     *           600
                     *         ],
                     *         "count": [
                     *           1
                     *         ]
                     *       },
                     *       "suggestion": null,
                     *       "looked_through": 7,
                     *       "took": 40.962
                     *     }
                     */
                    "application/json": components["schemas"]["SearchResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description fields to list, separated by commas: category, app, title, domain, url, project, device, bucket; default: `category` */
                by?: string;
                /** @description max keys per list; default: 100 */
                limit?: number;
                /** @description list categories up to this depth, with everything below them: with 1, `Work` has the time of `Work/Code`; default: every category on its own */
                depth?: number;
                /** @description compare with the previous range, the same range a year ago, a typical range (the median of the last four), or your own range. If the range is not over, only the same elapsed part of the other counts */
                compare?: "custom" | "previous" | "typical" | "year";
                /** @description with `compare=custom`: start of that range */
                compare_start?: string;
                /** @description with `compare=custom`: end of that range (exclusive) */
                compare_end?: string;
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
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
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-02-03T00:00:00+00:00",
                     *         "end": "2026-02-04T00:00:00+00:00",
                     *         "tz": "UTC",
                     *         "day_start": "04:00",
                     *         "week_start": "monday",
                     *         "label": "3 Feb 2026 00:00 to 4 Feb 2026 00:00"
                     *       },
                     *       "totals": {
                     *         "active": 972.5,
                     *         "unfiltered": 972.5,
                     *         "away": 0,
                     *         "nodata": 85427.5,
                     *         "first": "2026-02-03T08:15:31.250+00:00",
                     *         "last": "2026-02-03T08:37:00+00:00",
                     *         "longest_focus": 600,
                     *         "focus": {
                     *           "start": "2026-02-03T08:20:00+00:00",
                     *           "end": "2026-02-03T08:30:00+00:00",
                     *           "category": [
                     *             "Uncategorized"
                     *           ],
                     *           "app": "Code",
                     *           "interruptions": 0,
                     *           "interrupted": 0,
                     *           "tolerated": [],
                     *           "ended_by": {
                     *             "state": "active",
                     *             "category": [
                     *               "Uncategorized"
                     *             ],
                     *             "app": "Mail"
                     *           }
                     *         },
                     *         "switches": 2,
                     *         "overlap": 0
                     *       },
                     *       "lists": {
                     *         "category": [
                     *           {
                     *             "key": [
                     *               "Uncategorized"
                     *             ],
                     *             "seconds": 972.5,
                     *             "share": 1
                     *           }
                     *         ]
                     *       },
                     *       "more": {
                     *         "category": 0
                     *       },
                     *       "without": {
                     *         "category": 0
                     *       },
                     *       "devices": [
                     *         {
                     *           "device": "laptop",
                     *           "seconds": 972.5
                     *         }
                     *       ],
                     *       "tree": [
                     *         {
                     *           "key": [
                     *             "Uncategorized"
                     *           ],
                     *           "seconds": 972.5,
                     *           "own": 972.5,
                     *           "share": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_series: {
        parameters: {
            query?: {
                /** @description default: `day` */
                bin?: "5m" | "day" | "hour" | "month" | "week" | "weekhour";
                /** @description the field of the keys; default: `category` */
                by?: "app" | "bucket" | "category" | "device" | "domain" | "project" | "title" | "url";
                /** @description max keys, the rest is summed up; default: 12 */
                top?: number;
                /** @description list categories up to this depth, with everything below them: with 1, `Work` has the time of `Work/Code`; default: every category on its own */
                depth?: number;
                /** @description compare with the previous range, the same range a year ago, a typical range (the median of the last four), or your own range. If the range is not over, only the same elapsed part of the other counts */
                compare?: "custom" | "previous" | "typical" | "year";
                /** @description with `compare=custom`: start of that range */
                compare_start?: string;
                /** @description with `compare=custom`: end of that range (exclusive) */
                compare_end?: string;
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description seconds per key and bin */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-02-03T00:00:00+00:00",
                     *         "end": "2026-02-04T00:00:00+00:00",
                     *         "tz": "UTC",
                     *         "day_start": "04:00",
                     *         "week_start": "monday",
                     *         "label": "3 Feb 2026 00:00 to 4 Feb 2026 00:00"
                     *       },
                     *       "bin": "hour",
                     *       "by": "category",
                     *       "edges": [
                     *         "2026-02-03T00:00:00+00:00",
                     *         "2026-02-03T01:00:00+00:00"
                     *       ],
                     *       "keys": [
                     *         [
                     *           "Uncategorized"
                     *         ]
                     *       ],
                     *       "values": [
                     *         [
                     *           0,
                     *           0
                     *         ]
                     *       ],
                     *       "other": [
                     *         0,
                     *         0
                     *       ],
                     *       "total": [
                     *         0,
                     *         0
                     *       ],
                     *       "parents": []
                     *     }
                     */
                    "application/json": components["schemas"]["Series"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_timesheet: {
        parameters: {
            query?: {
                /** @description field of the columns; default: `category` */
                by?: "app" | "category" | "label" | "project" | "title";
                /** @description default: `json` */
                format?: "csv" | "html" | "json";
                /** @description language of headings, sentences and dates; default: `en` */
                language?: "de" | "en";
                /** @description how times are rounded; default: `none` */
                round?: "down" | "nearest" | "none" | "up";
                /** @description the step to round to; default: `15m` */
                to?: string;
                /** @description round each day, or each entry; default: `day` */
                per?: "day" | "entry";
                /** @description leave out entries shorter than this, such as `2m` */
                least?: string;
                /** @description count gaps shorter than this, such as `5m` */
                gaps?: string;
                /** @description rate per hour */
                rate?: string;
                /** @description rates per hour by key; that of a category includes its subcategories */
                rates?: string;
                /** @description printed after amounts */
                currency?: string;
                /** @description title of the sheet */
                title?: string;
                /** @description whether to list the labels of each day; default: `on` */
                notes?: "off" | "on";
                /** @description with `by=category`: categories up to this depth, with everything below them */
                depth?: number;
                /** @description the name of a saved report, for parameters that are not sent */
                template?: string;
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the timesheet */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-02-03T00:00:00+00:00",
                     *         "end": "2026-02-04T00:00:00+00:00",
                     *         "tz": "UTC",
                     *         "day_start": "04:00",
                     *         "week_start": "monday",
                     *         "label": "3 Feb 2026 00:00 to 4 Feb 2026 00:00"
                     *       },
                     *       "title": "3 Feb 2026 00:00 to 4 Feb 2026 00:00",
                     *       "by": "category",
                     *       "rules": {
                     *         "round": "none",
                     *         "to": 900,
                     *         "per": "day",
                     *         "least": 0,
                     *         "gaps": 0,
                     *         "text": "Times are not rounded."
                     *       },
                     *       "currency": "",
                     *       "columns": [
                     *         {
                     *           "key": [
                     *             "Uncategorized"
                     *           ],
                     *           "name": "Uncategorized",
                     *           "seconds": 972.5,
                     *           "rounded": 972.5
                     *         }
                     *       ],
                     *       "days": [
                     *         {
                     *           "date": "2026-02-03",
                     *           "first": "2026-02-03T08:15:31.250+00:00",
                     *           "last": "2026-02-03T08:37:00+00:00",
                     *           "breaks": {
                     *             "count": 1,
                     *             "seconds": 256.25
                     *           },
                     *           "entries": [
                     *             {
                     *               "column": 0,
                     *               "seconds": 972.5,
                     *               "rounded": 972.5
                     *             }
                     *           ],
                     *           "seconds": 972.5,
                     *           "rounded": 972.5,
                     *           "notes": []
                     *         }
                     *       ],
                     *       "totals": {
                     *         "days": 1,
                     *         "seconds": 972.5,
                     *         "rounded": 972.5,
                     *         "breaks": {
                     *           "count": 1,
                     *           "seconds": 256.25
                     *         },
                     *         "left_out": {
                     *           "entries": 0,
                     *           "seconds": 0
                     *         }
                     *       },
                     *       "is_listed": false
                     *     }
                     */
                    "application/json": components["schemas"]["Timesheet"];
                    /**
                     * @example Date,First,Last,Breaks,Uncategorized,Total
                     *     2026-02-03,08:15,08:37,0.0712,0.2701,0.2701
                     */
                    "text/csv": string;
                    /**
                     * @example <!doctype html>
                     *     <html lang="en">
                     */
                    "text/html": string;
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
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
            /** @description the reports, in order of their names */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "Invoice",
                     *         "parameters": {
                     *           "by": "category",
                     *           "filter": [
                     *             "category:under:Work"
                     *           ],
                     *           "period": "last-month",
                     *           "round": "nearest",
                     *           "to": "15m"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["KeptReport"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name of a saved report: any text, percent-encoded */
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
                    /**
                     * @example {
                     *       "name": "Invoice",
                     *       "parameters": {
                     *         "by": "category",
                     *         "filter": [
                     *           "category:under:Work"
                     *         ],
                     *         "period": "last-month",
                     *         "round": "nearest",
                     *         "to": "15m"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeptReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    save_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name of a saved report: any text, percent-encoded */
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
                    /**
                     * @example {
                     *       "name": "Invoice",
                     *       "parameters": {
                     *         "by": "category",
                     *         "filter": [
                     *           "category:under:Work"
                     *         ],
                     *         "period": "last-month",
                     *         "round": "nearest",
                     *         "to": "15m"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeptReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the name of a saved report: any text, percent-encoded */
                report: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deleted report */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Invoice",
                     *       "parameters": {
                     *         "by": "category",
                     *         "filter": [
                     *           "category:under:Work"
                     *         ],
                     *         "period": "last-month",
                     *         "round": "nearest",
                     *         "to": "15m"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeptReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "buckets": {
                     *         "aw-watcher-window_laptop": {
                     *           "id": "aw-watcher-window_laptop",
                     *           "type": "currentwindow",
                     *           "client": "aw-watcher-window",
                     *           "hostname": "laptop",
                     *           "created": "2026-11-19T14:13:49.280070Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": "2026-02-03T08:15:31.250Z",
                     *             "end": "2026-02-03T08:37:00Z"
                     *           },
                     *           "last_updated": "2026-02-03T08:37:00Z",
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-02-03T08:36:00Z",
                     *               "duration": 60,
                     *               "data": {
                     *                 "app": "Code",
                     *                 "title": "x"
                     *               }
                     *             },
                     *             {
                     *               "timestamp": "2026-02-03T08:36:00Z",
                     *               "duration": 60,
                     *               "data": {
                     *                 "app": "Code",
                     *                 "title": "x"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Export"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "buckets": {
                     *         "aw-watcher-window_laptop": {
                     *           "id": "aw-watcher-window_laptop",
                     *           "type": "currentwindow",
                     *           "client": "aw-watcher-window",
                     *           "hostname": "laptop",
                     *           "created": "2026-11-19T14:13:49.280070Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": "2026-02-03T08:15:31.250Z",
                     *             "end": "2026-02-03T08:37:00Z"
                     *           },
                     *           "last_updated": "2026-02-03T08:37:00Z",
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-02-03T08:36:00Z",
                     *               "duration": 60,
                     *               "data": {
                     *                 "app": "Code",
                     *                 "title": "x"
                     *               }
                     *             },
                     *             {
                     *               "timestamp": "2026-02-03T08:36:00Z",
                     *               "duration": 60,
                     *               "data": {
                     *                 "app": "Code",
                     *                 "title": "x"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "aw-watcher-afk_laptop": {
                     *           "id": "aw-watcher-afk_laptop",
                     *           "type": "afkstatus",
                     *           "client": "aw-watcher-afk",
                     *           "hostname": "laptop",
                     *           "created": "2026-11-19T14:13:49.283429Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": "2026-02-03T08:00:00Z",
                     *             "end": "2026-02-03T09:00:00Z"
                     *           },
                     *           "last_updated": "2026-02-03T09:00:00Z",
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-02-03T08:00:00Z",
                     *               "duration": 3600,
                     *               "data": {
                     *                 "status": "not-afk"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "aw-watcher-web-firefox_laptop": {
                     *           "id": "aw-watcher-web-firefox_laptop",
                     *           "type": "web.tab.current",
                     *           "client": "aw-client-web",
                     *           "hostname": "laptop",
                     *           "created": "2026-11-19T14:13:49.294782Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": "2026-02-03T08:21:00Z",
                     *             "end": "2026-02-03T08:23:00Z"
                     *           },
                     *           "last_updated": "2026-02-03T08:23:00Z",
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-02-03T08:21:00Z",
                     *               "duration": 120,
                     *               "data": {
                     *                 "title": "Guide",
                     *                 "url": "https://docs.example.org/guide"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "aw-watcher-window_desktop": {
                     *           "id": "aw-watcher-window_desktop",
                     *           "type": "currentwindow",
                     *           "client": "aw-watcher-window",
                     *           "hostname": "desktop",
                     *           "created": "2026-11-19T14:13:49.305466Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": null,
                     *             "end": null
                     *           },
                     *           "last_updated": null,
                     *           "events": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Export"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    export_events: {
        parameters: {
            query?: {
                /** @description only this bucket; default: all */
                bucket?: string;
                /** @description default: `json` */
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
                    /**
                     * @example {
                     *       "buckets": {
                     *         "aw-watcher-window_laptop": {
                     *           "id": "aw-watcher-window_laptop",
                     *           "type": "currentwindow",
                     *           "client": "aw-watcher-window",
                     *           "hostname": "laptop",
                     *           "created": "2026-11-19T14:13:49.280070Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": "2026-02-03T08:15:31.250Z",
                     *             "end": "2026-02-03T08:37:00Z"
                     *           },
                     *           "last_updated": "2026-02-03T08:37:00Z",
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-02-03T08:36:00Z",
                     *               "duration": 60,
                     *               "data": {
                     *                 "app": "Code",
                     *                 "title": "x"
                     *               }
                     *             },
                     *             {
                     *               "timestamp": "2026-02-03T08:36:00Z",
                     *               "duration": 60,
                     *               "data": {
                     *                 "app": "Code",
                     *                 "title": "x"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "aw-watcher-afk_laptop": {
                     *           "id": "aw-watcher-afk_laptop",
                     *           "type": "afkstatus",
                     *           "client": "aw-watcher-afk",
                     *           "hostname": "laptop",
                     *           "created": "2026-11-19T14:13:49.283429Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": "2026-02-03T08:00:00Z",
                     *             "end": "2026-02-03T09:00:00Z"
                     *           },
                     *           "last_updated": "2026-02-03T09:00:00Z",
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-02-03T08:00:00Z",
                     *               "duration": 3600,
                     *               "data": {
                     *                 "status": "not-afk"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "aw-watcher-web-firefox_laptop": {
                     *           "id": "aw-watcher-web-firefox_laptop",
                     *           "type": "web.tab.current",
                     *           "client": "aw-client-web",
                     *           "hostname": "laptop",
                     *           "created": "2026-11-19T14:13:49.294782Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": "2026-02-03T08:21:00Z",
                     *             "end": "2026-02-03T08:23:00Z"
                     *           },
                     *           "last_updated": "2026-02-03T08:23:00Z",
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-02-03T08:21:00Z",
                     *               "duration": 120,
                     *               "data": {
                     *                 "title": "Guide",
                     *                 "url": "https://docs.example.org/guide"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "aw-watcher-window_desktop": {
                     *           "id": "aw-watcher-window_desktop",
                     *           "type": "currentwindow",
                     *           "client": "aw-watcher-window",
                     *           "hostname": "desktop",
                     *           "created": "2026-11-19T14:13:49.305466Z",
                     *           "data": {},
                     *           "metadata": {
                     *             "start": null,
                     *             "end": null
                     *           },
                     *           "last_updated": null,
                     *           "events": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Export"];
                    /**
                     * @example bucket,host,type,start,end,duration,app,title,url,data
                     *     aw-watcher-window_laptop,laptop,currentwindow,2026-02-03T08:36:00Z,2026-02-03T08:37:00Z,60.0,"Code","x",,"{""app"":""Code"",""title"":""x""}"
                     */
                    "text/csv": string;
                    /**
                     * @example {"bucket":"aw-watcher-window_laptop","timestamp":"2026-02-03T08:36:00Z","duration":60.0,"data":{"app":"Code","title":"x"}}
                     *     {"bucket":"aw-watcher-window_laptop","timestamp":"2026-02-03T08:36:00Z","duration":60.0,"data":{"app":"Code","title":"x"}}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /**
                 * @example {
                 *       "file": "the content of export.json"
                 *     }
                 */
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
                    /**
                     * @example {
                     *       "buckets": 1,
                     *       "imported": 0,
                     *       "skipped": 1,
                     *       "invalid": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
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
                /** @description only annotations that end after this time */
                start?: string;
                /** @description only annotations that begin before this time */
                end?: string;
                /** @description only annotations of this host name, or of all devices */
                device?: string;
                /** @description only annotations of this kind */
                kind?: "category" | "entry" | "exclude" | "label";
                /** @description the `cursor` of the previous page */
                cursor?: string;
                /** @description max annotations; default: 100 */
                limit?: number;
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of annotations */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "annotations": [
                     *         {
                     *           "id": 2747,
                     *           "kind": "entry",
                     *           "start": "2026-02-03T09:00:00Z",
                     *           "end": "2026-02-03T09:15:00Z",
                     *           "device": null,
                     *           "label": "Stand-up",
                     *           "category": [
                     *             "Work",
                     *             "Meetings"
                     *           ],
                     *           "note": "",
                     *           "is_on": false
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AnnotationPage"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
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
            /** @description the annotation, and the undo entry */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 2747,
                     *       "kind": "entry",
                     *       "start": "2026-02-03T09:00:00Z",
                     *       "end": "2026-02-03T09:15:00Z",
                     *       "device": null,
                     *       "label": "Stand-up",
                     *       "category": [
                     *         "Work",
                     *         "Meetings"
                     *       ],
                     *       "note": "",
                     *       "is_on": true,
                     *       "undo": 30
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedAnnotation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the id of the annotation */
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
                    /**
                     * @example {
                     *       "id": 2747,
                     *       "kind": "entry",
                     *       "start": "2026-02-03T09:00:00Z",
                     *       "end": "2026-02-03T09:15:00Z",
                     *       "device": null,
                     *       "label": "Stand-up",
                     *       "category": [
                     *         "Work",
                     *         "Meetings"
                     *       ],
                     *       "note": "",
                     *       "is_on": true
                     *     }
                     */
                    "application/json": components["schemas"]["AnnotationView"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    delete_annotation: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the id of the annotation */
                annotation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the undo entry */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 2747,
                     *       "undo": 32
                     *     }
                     */
                    "application/json": components["schemas"]["RemovedAnnotation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the id of the annotation */
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
            /** @description the changed annotation, and the undo entry */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 2747,
                     *       "kind": "entry",
                     *       "start": "2026-02-03T09:00:00Z",
                     *       "end": "2026-02-03T09:15:00Z",
                     *       "device": null,
                     *       "label": "Stand-up",
                     *       "category": [
                     *         "Work",
                     *         "Meetings"
                     *       ],
                     *       "note": "",
                     *       "is_on": false,
                     *       "undo": 31
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedAnnotation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all goals */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Deep work",
                     *         "kind": "at_least",
                     *         "seconds": 10800,
                     *         "per": "day",
                     *         "by": "category",
                     *         "category": [
                     *           "Work"
                     *         ],
                     *         "value": null,
                     *         "weekdays": [
                     *           "monday",
                     *           "tuesday"
                     *         ],
                     *         "hours": "any",
                     *         "is_on": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Goal"][];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Deep work",
                     *       "kind": "at_least",
                     *       "seconds": 14400,
                     *       "per": "day",
                     *       "by": "category",
                     *       "category": [
                     *         "Work"
                     *       ],
                     *       "value": null,
                     *       "weekdays": [
                     *         "monday",
                     *         "tuesday"
                     *       ],
                     *       "hours": "any",
                     *       "is_on": true
                     *     }
                     */
                    "application/json": components["schemas"]["Goal"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description each goal, and time inside and outside the work hours */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-11-19T04:00:00+00:00",
                     *         "end": "2026-11-20T04:00:00+00:00",
                     *         "tz": "UTC",
                     *         "day_start": "04:00",
                     *         "week_start": "monday",
                     *         "label": "Thu 19 Nov 2026"
                     *       },
                     *       "goals": [
                     *         {
                     *           "id": 1,
                     *           "name": "Deep work",
                     *           "kind": "at_least",
                     *           "per": "day",
                     *           "by": "category",
                     *           "category": [
                     *             "Work"
                     *           ],
                     *           "value": null,
                     *           "hours": "any",
                     *           "start": "2026-11-19T04:00:00+00:00",
                     *           "end": "2026-11-20T04:00:00+00:00",
                     *           "seconds": 0,
                     *           "target": 10800,
                     *           "share": 0,
                     *           "state": "behind",
                     *           "pace": 0.4262948725925926,
                     *           "streak": 0,
                     *           "recent": []
                     *         }
                     *       ],
                     *       "work": {
                     *         "day": {
                     *           "inside": 0,
                     *           "outside": 0
                     *         },
                     *         "week": {
                     *           "inside": 0,
                     *           "outside": 0
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GoalsResponse"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the work hours by weekday */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monday": "09:00-17:30",
                     *       "tuesday": null,
                     *       "wednesday": null,
                     *       "thursday": null,
                     *       "friday": "09:00-15:00",
                     *       "saturday": null,
                     *       "sunday": null
                     *     }
                     */
                    "application/json": components["schemas"]["WorkHours"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
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
            /** @description the work hours by weekday */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monday": "09:00-17:30",
                     *       "tuesday": null,
                     *       "wednesday": null,
                     *       "thursday": null,
                     *       "friday": "09:00-15:00",
                     *       "saturday": null,
                     *       "sunday": null
                     *     }
                     */
                    "application/json": components["schemas"]["WorkHours"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the id of the goal */
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
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Deep work",
                     *       "kind": "at_least",
                     *       "seconds": 14400,
                     *       "per": "day",
                     *       "by": "category",
                     *       "category": [
                     *         "Work"
                     *       ],
                     *       "value": null,
                     *       "weekdays": [
                     *         "monday",
                     *         "tuesday"
                     *       ],
                     *       "hours": "any",
                     *       "is_on": true
                     *     }
                     */
                    "application/json": components["schemas"]["Goal"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    delete_goal: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the id of the goal */
                goal_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the remaining goals */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example [] */
                    "application/json": components["schemas"]["Goal"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the id of the goal */
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
            /** @description the changed goal */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Deep work",
                     *       "kind": "at_least",
                     *       "seconds": 10800,
                     *       "per": "day",
                     *       "by": "category",
                     *       "category": [
                     *         "Work"
                     *       ],
                     *       "value": null,
                     *       "weekdays": [
                     *         "monday",
                     *         "tuesday"
                     *       ],
                     *       "hours": "any",
                     *       "is_on": true
                     *     }
                     */
                    "application/json": components["schemas"]["Goal"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the values by key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "classes": [
                     *         {
                     *           "id": 0,
                     *           "name": [
                     *             "Work"
                     *           ],
                     *           "rule": {
                     *             "type": "none"
                     *           }
                     *         },
                     *         {
                     *           "id": 1,
                     *           "name": [
                     *             "Work",
                     *             "Code"
                     *           ],
                     *           "rule": {
                     *             "ignore_case": true,
                     *             "regex": "GitHub|vim",
                     *             "type": "regex"
                     *           }
                     *         }
                     *       ],
                     *       "durationDefault": 86400,
                     *       "startOfDay": "04:00"
                     *     }
                     */
                    "application/json": {
                        [key: string]: Record<string, never> | unknown[] | string | number | boolean | null;
                    };
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            401: components["responses"]["Unauthorized"];
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
            /** @description the value, null if it is not set */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example 86400 */
                    "application/json": Record<string, never> | unknown[] | string | number | boolean | null;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /** @example 86400 */
                    "application/json": Record<string, never> | unknown[] | string | number | boolean | null;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description all preferences */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "time_zone": "Europe/Berlin",
                     *       "day_start": "05:00",
                     *       "week_start": "monday",
                     *       "language": null,
                     *       "duration_style": "hours",
                     *       "theme": "auto",
                     *       "density": "comfortable",
                     *       "reduced_motion": null,
                     *       "single_letter_keys": true
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description all preferences after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "time_zone": "Europe/Berlin",
                     *       "day_start": "05:00",
                     *       "week_start": "monday",
                     *       "language": null,
                     *       "duration_style": "hours",
                     *       "theme": "auto",
                     *       "density": "comfortable",
                     *       "reduced_motion": null,
                     *       "single_letter_keys": true
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description `own`: Dayline's settings; `client`: those at `/api/0/settings`; default: `own` */
                of?: "client" | "own";
                /** @description only changes of this setting */
                key?: string;
                /** @description the `cursor` of the previous page */
                cursor?: number;
                /** @description max changes; default: 100 */
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
                    /**
                     * @example {
                     *       "changes": [
                     *         {
                     *           "number": 14,
                     *           "key": "day_start",
                     *           "changed": "2026-11-19T14:13:51.923508Z",
                     *           "is_deleted": false,
                     *           "value": "05:00",
                     *           "device": null
                     *         },
                     *         {
                     *           "number": 13,
                     *           "key": "time_zone",
                     *           "changed": "2026-11-19T14:13:51.923508Z",
                     *           "is_deleted": false,
                     *           "value": "Europe/Berlin",
                     *           "device": null
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SettingHistory"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    restore_setting: {
        parameters: {
            query?: {
                /** @description `own`: Dayline's settings; `client`: those at `/api/0/settings`; default: `own` */
                of?: "client" | "own";
            };
            header?: never;
            path: {
                /** @description the number of the change in the history */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the setting */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "of": "own",
                     *       "key": "Work",
                     *       "is_set": true,
                     *       "value": "05:00"
                     *     }
                     */
                    "application/json": components["schemas"]["RestoredSetting"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the session */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "needs_key": false,
                     *       "is_signed_in": true,
                     *       "scope": "full",
                     *       "buckets": [],
                     *       "key_id": null,
                     *       "expires": "2026-12-19T14:13:51.991084Z"
                     *     }
                     */
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
            /** @description the new session */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "needs_key": false,
                     *       "is_signed_in": true,
                     *       "scope": "full",
                     *       "buckets": [],
                     *       "key_id": null,
                     *       "expires": "2026-12-19T14:13:52.090609Z",
                     *       "secret": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["NewSession"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
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
                    /**
                     * @example {
                     *       "code": "text",
                     *       "expires_in_s": 300
                     *     }
                     */
                    "application/json": components["schemas"]["SignInCode"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_ticket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTicket"];
            };
        };
        responses: {
            /** @description the ticket */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ticket": "text",
                     *       "expires_in_s": 60
                     *     }
                     */
                    "application/json": components["schemas"]["Ticket"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
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
            /** @description the number of browsers signed out */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ended": 0
                     *     }
                     */
                    "application/json": components["schemas"]["OtherSessions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the sessions, the most recently used first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "94c439aaba86",
                     *         "device": "unknown",
                     *         "user_agent": "",
                     *         "key_id": null,
                     *         "key_name": null,
                     *         "scope": "full",
                     *         "address": "127.0.0.1",
                     *         "is_new_address": false,
                     *         "started": "2026-11-19T14:13:51.991084Z",
                     *         "last_used": "2026-11-19T14:13:52.044149Z",
                     *         "last_address": "127.0.0.1",
                     *         "expires": "2026-12-19T14:13:51.991084Z",
                     *         "is_current": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SignedInBrowser"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the number of browsers signed out */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ended": 0
                     *     }
                     */
                    "application/json": components["schemas"]["OtherSessions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the session */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the ended session */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5d3fb89a70a2",
                     *       "device": "unknown",
                     *       "user_agent": "",
                     *       "key_id": null,
                     *       "key_name": null,
                     *       "scope": "full",
                     *       "address": "127.0.0.1",
                     *       "is_new_address": false,
                     *       "started": "2026-11-19T14:13:52.090609Z",
                     *       "last_used": "2026-11-19T14:13:52.090609Z",
                     *       "last_address": "127.0.0.1",
                     *       "expires": "2026-12-19T14:13:52.090609Z",
                     *       "is_current": false
                     *     }
                     */
                    "application/json": components["schemas"]["SignedInBrowser"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the session */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the session */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "94c439aaba86",
                     *       "device": "unknown",
                     *       "user_agent": "",
                     *       "key_id": null,
                     *       "key_name": null,
                     *       "scope": "full",
                     *       "address": "127.0.0.1",
                     *       "is_new_address": false,
                     *       "started": "2026-11-19T14:13:51.991084Z",
                     *       "last_used": "2026-11-19T14:13:52.050336Z",
                     *       "last_address": "127.0.0.1",
                     *       "expires": "2026-12-19T14:13:51.991084Z",
                     *       "is_current": true
                     *     }
                     */
                    "application/json": components["schemas"]["SignedInBrowser"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the keys without their secrets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "mwfj3lmu",
                     *         "name": "laptop-watcher",
                     *         "scope": "append",
                     *         "buckets": [
                     *           "aw-watcher-*_laptop"
                     *         ],
                     *         "envelope": false,
                     *         "is_active": true,
                     *         "created": "2026-11-19T14:13:51.948095Z",
                     *         "expires": null,
                     *         "revoked": null,
                     *         "last_used": null,
                     *         "last_address": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["KeyView"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the key with its secret */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mwfj3lmu",
                     *       "name": "laptop-watcher",
                     *       "scope": "append",
                     *       "buckets": [
                     *         "aw-watcher-*_laptop"
                     *       ],
                     *       "envelope": false,
                     *       "is_active": true,
                     *       "created": "2026-11-19T14:13:51.948095Z",
                     *       "expires": null,
                     *       "revoked": null,
                     *       "last_used": null,
                     *       "last_address": null,
                     *       "key": "Work"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeKey"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the key: the second part of its text */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the revoked key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mwfj3lmu",
                     *       "name": "laptop-watcher",
                     *       "scope": "append",
                     *       "buckets": [
                     *         "aw-watcher-*_laptop"
                     *       ],
                     *       "envelope": false,
                     *       "is_active": false,
                     *       "created": "2026-11-19T14:13:51.948095Z",
                     *       "expires": "2026-11-19T15:13:51.964445Z",
                     *       "revoked": "2026-11-19T14:13:51.976421Z",
                     *       "last_used": null,
                     *       "last_address": null
                     *     }
                     */
                    "application/json": components["schemas"]["KeyView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the key: the second part of its text */
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
            /** @description the new key with its secret */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "agejccgk",
                     *       "name": "laptop-watcher",
                     *       "scope": "append",
                     *       "buckets": [
                     *         "aw-watcher-*_laptop"
                     *       ],
                     *       "envelope": false,
                     *       "is_active": true,
                     *       "created": "2026-11-19T14:13:51.964519Z",
                     *       "expires": null,
                     *       "revoked": null,
                     *       "last_used": null,
                     *       "last_address": null,
                     *       "key": "Work"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeKey"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the `cursor` of the previous page */
                cursor?: number;
                /** @description max lines; default: 100 */
                limit?: number;
                /** @description only calls with the key of this id */
                key?: string;
                /** @description only calls on this bucket */
                bucket?: string;
                /** @description only this call, by its `operationId` in the OpenAPI document */
                call?: string;
                /** @description only calls from this address */
                address?: string;
                /** @description only rejected calls */
                refused?: boolean;
                /** @description only lines that end after this time */
                since?: string;
                /** @description only lines that begin before this time */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of the audit log */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lines": [
                     *         {
                     *           "number": 111,
                     *           "first": "2026-11-19T14:13:52.108032Z",
                     *           "last": "2026-11-19T14:13:52.108032Z",
                     *           "count": 1,
                     *           "who": "open",
                     *           "key_id": "",
                     *           "key_name": "",
                     *           "address": "127.0.0.1",
                     *           "call": "end_all_sessions",
                     *           "bucket": "",
                     *           "status": 200
                     *         },
                     *         {
                     *           "number": 110,
                     *           "first": "2026-11-19T14:13:52.102384Z",
                     *           "last": "2026-11-19T14:13:52.102384Z",
                     *           "count": 1,
                     *           "who": "open",
                     *           "key_id": "",
                     *           "key_name": "",
                     *           "address": "127.0.0.1",
                     *           "call": "revoke_session 5d3fb89a70a2",
                     *           "bucket": "",
                     *           "status": 200
                     *         }
                     *       ],
                     *       "cursor": 1795097632100204
                     *     }
                     */
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the response, encrypted with the same key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "application/jose": string;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description all rules, in force or not */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "filters": [],
                     *       "rules": [
                     *         {
                     *           "field": "title",
                     *           "pattern": "(?i)payroll",
                     *           "action": "redact",
                     *           "enabled": true,
                     *           "name": "",
                     *           "buckets": [],
                     *           "replacement": "REDACTED"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RulesView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description all rules after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "filters": [],
                     *       "rules": [
                     *         {
                     *           "field": "title",
                     *           "pattern": "(?i)payroll",
                     *           "action": "redact",
                     *           "enabled": true,
                     *           "name": "",
                     *           "buckets": [],
                     *           "replacement": "REDACTED"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RulesView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_plain_rule: {
        parameters: {
            query?: {
                /** @description the name of an app */
                app?: string;
                /** @description a site, which includes its subdomains */
                site?: string;
                /** @description a text that titles contain */
                title?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the rule */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "field": "app",
                     *       "pattern": "(?i)^Signal$",
                     *       "action": "drop",
                     *       "enabled": true,
                     *       "name": "Signal",
                     *       "buckets": [],
                     *       "replacement": "REDACTED"
                     *     }
                     */
                    "application/json": components["schemas"]["RuleView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
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
            /** @description counts and samples */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": [
                     *         {
                     *           "rule": 0,
                     *           "name": "",
                     *           "field": "title",
                     *           "pattern": "(?i)payroll",
                     *           "action": "redact",
                     *           "buckets": [
                     *             {
                     *               "bucket": "aw-watcher-window_laptop",
                     *               "values": 1,
                     *               "events": 1,
                     *               "seconds": 300
                     *             }
                     *           ],
                     *           "samples": [
                     *             {
                     *               "bucket": "aw-watcher-window_laptop",
                     *               "before": {
                     *                 "app": "Mail",
                     *                 "title": "Payroll 2026.xlsx"
                     *               },
                     *               "after": {
                     *                 "app": "Mail",
                     *                 "title": "REDACTED"
                     *               },
                     *               "events": 1,
                     *               "seconds": 300
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "changed_values": 1,
                     *       "changed_events": 1,
                     *       "dropped_events": 0,
                     *       "seconds": 300
                     *     }
                     */
                    "application/json": components["schemas"]["RedactionPreview"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the redaction, with the id to undo it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "made": "2026-11-19T14:13:52.785364Z",
                     *       "state": "applied",
                     *       "rules": {
                     *         "filters": [],
                     *         "rules": [
                     *           {
                     *             "field": "title",
                     *             "pattern": "(?i)payroll",
                     *             "action": "redact",
                     *             "enabled": true,
                     *             "name": "",
                     *             "buckets": [],
                     *             "replacement": "REDACTED"
                     *           }
                     *         ]
                     *       },
                     *       "buckets": [
                     *         "aw-watcher-window_laptop"
                     *       ],
                     *       "changed_values": 1,
                     *       "changed_events": 1,
                     *       "dropped_events": 0,
                     *       "undo": 33
                     *     }
                     */
                    "application/json": components["schemas"]["RedactionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the redactions, the newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 2,
                     *         "made": "2026-11-19T14:13:53.064017Z",
                     *         "state": "applied",
                     *         "rules": {
                     *           "filters": [],
                     *           "rules": [
                     *             {
                     *               "field": "title",
                     *               "pattern": "(?i)payroll",
                     *               "action": "redact",
                     *               "enabled": true,
                     *               "name": "",
                     *               "buckets": [],
                     *               "replacement": "REDACTED"
                     *             }
                     *           ]
                     *         },
                     *         "buckets": [
                     *           "aw-watcher-window_laptop"
                     *         ],
                     *         "changed_values": 1,
                     *         "changed_events": 1,
                     *         "dropped_events": 0,
                     *         "undo": 34
                     *       },
                     *       {
                     *         "id": 1,
                     *         "made": "2026-11-19T14:13:52.785364Z",
                     *         "state": "undone",
                     *         "rules": {
                     *           "filters": [],
                     *           "rules": [
                     *             {
                     *               "field": "title",
                     *               "pattern": "(?i)payroll",
                     *               "action": "redact",
                     *               "enabled": true,
                     *               "name": "",
                     *               "buckets": [],
                     *               "replacement": "REDACTED"
                     *             }
                     *           ]
                     *         },
                     *         "buckets": [
                     *           "aw-watcher-window_laptop"
                     *         ],
                     *         "changed_values": 1,
                     *         "changed_events": 1,
                     *         "dropped_events": 0,
                     *         "undo": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["RedactionView"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    undo_redaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the redaction */
                redaction_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the redaction */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "made": "2026-11-19T14:13:52.785364Z",
                     *       "state": "undone",
                     *       "rules": {
                     *         "filters": [],
                     *         "rules": [
                     *           {
                     *             "field": "title",
                     *             "pattern": "(?i)payroll",
                     *             "action": "redact",
                     *             "enabled": true,
                     *             "name": "",
                     *             "buckets": [],
                     *             "replacement": "REDACTED"
                     *           }
                     *         ]
                     *       },
                     *       "buckets": [
                     *         "aw-watcher-window_laptop"
                     *       ],
                     *       "changed_values": 1,
                     *       "changed_events": 1,
                     *       "dropped_events": 0,
                     *       "undo": null
                     *     }
                     */
                    "application/json": components["schemas"]["RedactionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the redaction */
                redaction_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the redaction */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 2,
                     *       "made": "2026-11-19T14:13:53.064017Z",
                     *       "state": "final",
                     *       "rules": {
                     *         "filters": [],
                     *         "rules": [
                     *           {
                     *             "field": "title",
                     *             "pattern": "(?i)payroll",
                     *             "action": "redact",
                     *             "enabled": true,
                     *             "name": "",
                     *             "buckets": [],
                     *             "replacement": "REDACTED"
                     *           }
                     *         ]
                     *       },
                     *       "buckets": [
                     *         "aw-watcher-window_laptop"
                     *       ],
                     *       "changed_values": 1,
                     *       "changed_events": 1,
                     *       "dropped_events": 0,
                     *       "undo": null
                     *     }
                     */
                    "application/json": components["schemas"]["RedactionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the status and its problems */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "problems": [],
                     *       "background": [
                     *         {
                     *           "name": "daily backup",
                     *           "state": "waiting",
                     *           "last_run": null,
                     *           "next_run": "2026-11-19T14:15:45.886793Z",
                     *           "last_error": null,
                     *           "failures": 0
                     *         },
                     *         {
                     *           "name": "database check",
                     *           "state": "waiting",
                     *           "last_run": null,
                     *           "next_run": "2026-11-19T14:14:45.886751Z",
                     *           "last_error": null,
                     *           "failures": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["HealthView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the devices, the most recently active first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "hostname": "desktop",
                     *         "buckets": [
                     *           "aw-watcher-window_desktop"
                     *         ],
                     *         "first_seen": null,
                     *         "last_seen": null,
                     *         "events": 0,
                     *         "looks_like": []
                     *       },
                     *       {
                     *         "hostname": "laptop",
                     *         "buckets": [
                     *           "aw-watcher-window_laptop",
                     *           "aw-watcher-afk_laptop"
                     *         ],
                     *         "first_seen": null,
                     *         "last_seen": null,
                     *         "events": 0,
                     *         "looks_like": []
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DeviceView"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "folder": "/home/you/dayline-backups",
                     *       "schedule": {
                     *         "enabled": true,
                     *         "interval_hours": 24,
                     *         "keep_daily": 7,
                     *         "keep_weekly": 4,
                     *         "keep_monthly": 12
                     *       },
                     *       "backups": [
                     *         {
                     *           "name": "dayline-20261119T141353Z.db.zst",
                     *           "made": "2026-11-19T14:13:53Z",
                     *           "state": "verified",
                     *           "bytes": 14560,
                     *           "encrypted": false,
                     *           "buckets": 6,
                     *           "events": 6,
                     *           "schema": 9,
                     *           "problem": null
                     *         }
                     *       ],
                     *       "last_failure": null
                     *     }
                     */
                    "application/json": components["schemas"]["BackupList"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example {
                     *       "name": "dayline-20261119T141353Z.db.zst",
                     *       "made": "2026-11-19T14:13:53Z",
                     *       "state": "verified",
                     *       "bytes": 14560,
                     *       "encrypted": false,
                     *       "buckets": 6,
                     *       "events": 6,
                     *       "schema": 9,
                     *       "problem": null
                     *     }
                     */
                    "application/json": components["schemas"]["BackupView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    change_backup_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupSchedule"];
            };
        };
        responses: {
            /** @description the schedule after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "enabled": true,
                     *       "interval_hours": 24,
                     *       "keep_daily": 7,
                     *       "keep_weekly": 4,
                     *       "keep_monthly": 12
                     *     }
                     */
                    "application/json": components["schemas"]["BackupSchedule"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    verify_backup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name of the backup */
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
                    /**
                     * @example {
                     *       "name": "dayline-20261119T141353Z.db.zst",
                     *       "made": "2026-11-19T14:13:53Z",
                     *       "state": "verified",
                     *       "bytes": 14560,
                     *       "encrypted": false,
                     *       "buckets": 6,
                     *       "events": 6,
                     *       "schema": 9,
                     *       "problem": null
                     *     }
                     */
                    "application/json": components["schemas"]["BackupView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description only this bucket; default: all */
                bucket?: string;
                /** @description kinds of findings, separated by commas; default: all */
                kinds?: string;
                /** @description minimum length of a gap in minutes; default: 30 */
                gap_minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the findings */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": 4,
                     *       "events": 7,
                     *       "findings": [
                     *         {
                     *           "kind": "duplicates",
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "count": 1,
                     *           "seconds": 60,
                     *           "examples": [
                     *             {
                     *               "event": 2739,
                     *               "start": "2026-02-03T08:36:00Z",
                     *               "end": "2026-02-03T08:37:00Z",
                     *               "seconds": 60,
                     *               "data": "{\"app\":\"Code\",\"title\":\"x\"}",
                     *               "becomes": null
                     *             }
                     *           ],
                     *           "is_mendable": true,
                     *           "mend": "of identical events, the one stored first is kept"
                     *         },
                     *         {
                     *           "kind": "overlaps",
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "count": 1,
                     *           "seconds": 60,
                     *           "examples": [
                     *             {
                     *               "event": 2739,
                     *               "start": "2026-02-03T08:36:00Z",
                     *               "end": "2026-02-03T08:37:00Z",
                     *               "seconds": 60,
                     *               "data": "{\"app\":\"Code\",\"title\":\"x\"}",
                     *               "becomes": null
                     *             }
                     *           ],
                     *           "is_mendable": true,
                     *           "mend": "the earlier event ends where the next one starts; of two with the same start, the longer one is kept"
                     *         }
                     *       ],
                     *       "renamed_hosts": []
                     *     }
                     */
                    "application/json": components["schemas"]["Findings"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    fix_findings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FixRequest"];
            };
        };
        responses: {
            /** @description what was fixed, and the undo entries */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "duplicates",
                     *       "dry_run": false,
                     *       "removed": 1,
                     *       "changed": 0,
                     *       "buckets": [
                     *         {
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "removed": 1,
                     *           "changed": 0,
                     *           "skipped": 0,
                     *           "seconds": 60,
                     *           "examples": [
                     *             {
                     *               "event": 2739,
                     *               "start": "2026-02-03T08:36:00Z",
                     *               "end": "2026-02-03T08:37:00Z",
                     *               "seconds": 60,
                     *               "data": "{\"app\":\"Code\",\"title\":\"x\"}",
                     *               "becomes": null
                     *             }
                     *           ],
                     *           "undo": 35
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FixResult"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the entries, the newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 36,
                     *         "kind": "delete_bucket",
                     *         "bucket": "aw-watcher-window_desktop",
                     *         "other": "",
                     *         "events": 0,
                     *         "made": "2026-11-19T14:14:00.265851Z",
                     *         "until": "2026-12-19T14:14:00.265851Z",
                     *         "state": "done",
                     *         "progress": null,
                     *         "group": "",
                     *         "by": "open",
                     *         "start": null,
                     *         "end": null
                     *       },
                     *       {
                     *         "id": 35,
                     *         "kind": "mend_events",
                     *         "bucket": "aw-watcher-window_laptop",
                     *         "other": "",
                     *         "events": 1,
                     *         "made": "2026-11-19T14:13:53.145247Z",
                     *         "until": "2026-12-19T14:13:53.145247Z",
                     *         "state": "done",
                     *         "progress": null,
                     *         "group": "",
                     *         "by": "open",
                     *         "start": "2026-02-03T08:36:00Z",
                     *         "end": "2026-02-03T08:37:00Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TrashItem"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the number of entries deleted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Emptied"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the undo id, from the header `Undo-Id`, a field `undo`, or the trash */
                undo_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the number of entries deleted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Emptied"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description if a deleted bucket was created again: merge both (default), or answer 409 */
                conflict?: "merge" | "refuse";
            };
            header?: never;
            path: {
                /** @description the undo id, from the header `Undo-Id`, a field `undo`, or the trash */
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
                    /**
                     * @example {
                     *       "id": 36,
                     *       "kind": "delete_bucket",
                     *       "bucket": "aw-watcher-window_desktop",
                     *       "events": 0,
                     *       "merged": false
                     *     }
                     */
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    undo_group: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the `Undo-Group` that the changes were sent with */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what was undone, the latest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 38,
                     *         "kind": "insert_events",
                     *         "bucket": "dayline-annotations",
                     *         "events": 1,
                     *         "merged": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Undone"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    undo_operation: {
        parameters: {
            query?: {
                /** @description if a deleted bucket was created again: merge both (default), or answer 409 */
                conflict?: "merge" | "refuse";
            };
            header?: never;
            path: {
                /** @description the undo id, from the header `Undo-Id`, a field `undo`, or the trash */
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
                    /**
                     * @example {
                     *       "id": 37,
                     *       "kind": "delete_bucket",
                     *       "bucket": "aw-watcher-web-firefox_laptop",
                     *       "events": 1,
                     *       "merged": false
                     *     }
                     */
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description 1: only preview the import */
                dry_run?: "0" | "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Import"];
                /**
                 * @example {
                 *       "file": "the content of export.json"
                 *     }
                 */
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
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "id": "text",
                     *           "is_new": true,
                     *           "new": 1,
                     *           "known": 1,
                     *           "invalid": 1,
                     *           "dropped": 1,
                     *           "conflicts": [
                     *             "text"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
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
                    /**
                     * @example {
                     *       "id": "cwCJ1kaKqQsOgUtoI-I09Q",
                     *       "kind": "import",
                     *       "state": "running",
                     *       "progress": {
                     *         "done": 0,
                     *         "total": null
                     *       },
                     *       "started": "2026-11-19T14:13:50.426425Z",
                     *       "finished": null,
                     *       "result": null,
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
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
                    /**
                     * @example {
                     *       "jobs": [
                     *         {
                     *           "id": "cwCJ1kaKqQsOgUtoI-I09Q",
                     *           "kind": "import",
                     *           "state": "done",
                     *           "progress": {
                     *             "done": 1,
                     *             "total": 1
                     *           },
                     *           "started": "2026-11-19T14:13:50.426425Z",
                     *           "finished": "2026-11-19T14:13:50.886416Z",
                     *           "result": {
                     *             "buckets": 1,
                     *             "imported": 0,
                     *             "skipped": 1,
                     *             "invalid": 0
                     *           },
                     *           "error": null
                     *         },
                     *         {
                     *           "id": "r_n494xKf84ozsnzIpWCIQ",
                     *           "kind": "demo",
                     *           "state": "done",
                     *           "progress": {
                     *             "done": 1,
                     *             "total": 1
                     *           },
                     *           "started": "2026-11-19T14:13:48.545421Z",
                     *           "finished": "2026-11-19T14:13:49.259069Z",
                     *           "result": {
                     *             "buckets": 9,
                     *             "imported": 2444,
                     *             "skipped": 0,
                     *             "invalid": 0
                     *           },
                     *           "error": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_job: {
        parameters: {
            query?: {
                /** @description max seconds to wait for the job to end */
                wait_s?: number;
            };
            header?: never;
            path: {
                /** @description the id of the job */
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
                    /**
                     * @example {
                     *       "id": "_JloJr_7YRsVsnBtsL6dfQ",
                     *       "kind": "migration",
                     *       "state": "done",
                     *       "progress": {
                     *         "done": 290,
                     *         "total": 290
                     *       },
                     *       "started": "2026-11-19T14:13:46.402598Z",
                     *       "finished": "2026-11-19T14:13:48.494573Z",
                     *       "result": {
                     *         "buckets": 3,
                     *         "imported": 290,
                     *         "skipped": 0,
                     *         "invalid": 0,
                     *         "proof": {
                     *           "path": "/home/you/.local/share/activitywatch/aw-server-rust/sqlite.db",
                     *           "is_proven": true,
                     *           "buckets": [
                     *             {
                     *               "bucket": "aw-watcher-web-firefox_host",
                     *               "is_proven": true,
                     *               "theirs": {
                     *                 "events": 76,
                     *                 "seconds": 1117.889,
                     *                 "checksum": "3c4c15e366f313e5ac15de7c0a689cc3"
                     *               },
                     *               "ours": {
                     *                 "events": 76,
                     *                 "seconds": 1117.889,
                     *                 "checksum": "3c4c15e366f313e5ac15de7c0a689cc3"
                     *               },
                     *               "imported": 76,
                     *               "extended": 0,
                     *               "repeated": 0,
                     *               "continued": 0,
                     *               "others": 0,
                     *               "left_out": {}
                     *             },
                     *             {
                     *               "bucket": "aw-watcher-window_host",
                     *               "is_proven": true,
                     *               "theirs": {
                     *                 "events": 210,
                     *                 "seconds": 2804.684,
                     *                 "checksum": "f93951c61f5dccd934a66deb5f91a891"
                     *               },
                     *               "ours": {
                     *                 "events": 210,
                     *                 "seconds": 2804.684,
                     *                 "checksum": "f93951c61f5dccd934a66deb5f91a891"
                     *               },
                     *               "imported": 210,
                     *               "extended": 0,
                     *               "repeated": 0,
                     *               "continued": 0,
                     *               "others": 0,
                     *               "left_out": {}
                     *             }
                     *           ],
                     *           "settings": {
                     *             "copied": [
                     *               "classes",
                     *               "startOfDay"
                     *             ],
                     *             "same": [],
                     *             "kept": [],
                     *             "refused": {}
                     *           }
                     *         }
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the id of the job */
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
                    /**
                     * @example {
                     *       "id": "cwCJ1kaKqQsOgUtoI-I09Q",
                     *       "kind": "import",
                     *       "state": "done",
                     *       "progress": {
                     *         "done": 1,
                     *         "total": 1
                     *       },
                     *       "started": "2026-11-19T14:13:50.426425Z",
                     *       "finished": "2026-11-19T14:13:50.886416Z",
                     *       "result": {
                     *         "buckets": 1,
                     *         "imported": 0,
                     *         "skipped": 1,
                     *         "invalid": 0
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the state of sync */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "is_on": true,
                     *       "location": "/home/you/Sync",
                     *       "device": {
                     *         "id": "kudcgtx2",
                     *         "name": "laptop",
                     *         "published": "2026-11-19T14:13:55.418713Z",
                     *         "buckets": 4,
                     *         "events": 6
                     *       },
                     *       "report": {
                     *         "began": "2026-11-19T14:13:58.821450Z",
                     *         "ended": "2026-11-19T14:13:58.839019Z",
                     *         "written": 0,
                     *         "written_bytes": 0,
                     *         "has_new_head": false,
                     *         "stopped": null,
                     *         "is_behind": false,
                     *         "problem": null,
                     *         "hint": null,
                     *         "warnings": [],
                     *         "ignored": [],
                     *         "devices": [
                     *           {
                     *             "id": "on6krko2",
                     *             "name": "laptop",
                     *             "state": "identical",
                     *             "text": "",
                     *             "made": "2026-11-19T14:13:57.605773Z",
                     *             "since": "2026-11-19T14:13:58.777433Z",
                     *             "buckets": 1,
                     *             "events": 1,
                     *             "waiting": 0,
                     *             "fetched": 0,
                     *             "is_new": true
                     *           }
                     *         ],
                     *         "sources": []
                     *       },
                     *       "next_pass": null,
                     *       "sources": []
                     *     }
                     */
                    "application/json": components["schemas"]["SyncStatus"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    start_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpaceLocation"];
            };
        };
        responses: {
            /** @description the invite for other devices */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invite": "dayline-sync_k7f3q2ab_…",
                     *       "location": "/home/you/Sync"
                     *     }
                     */
                    "application/json": components["schemas"]["Invite"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    preview_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitedLocation"];
            };
        };
        responses: {
            /** @description the devices */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "location": "/home/you/Sync",
                     *       "devices": [
                     *         {
                     *           "id": "kudcgtx2",
                     *           "name": "laptop",
                     *           "state": "waiting",
                     *           "text": "not joined yet",
                     *           "made": "2026-11-19T14:13:55.418713Z",
                     *           "since": "2026-11-19T14:13:55.418713Z",
                     *           "buckets": 4,
                     *           "events": 6,
                     *           "waiting": 0,
                     *           "fetched": 0,
                     *           "is_new": false
                     *         },
                     *         {
                     *           "id": "on6krko2",
                     *           "name": "laptop",
                     *           "state": "waiting",
                     *           "text": "not joined yet",
                     *           "made": "2026-11-19T14:13:57.605773Z",
                     *           "since": "2026-11-19T14:13:57.605773Z",
                     *           "buckets": 1,
                     *           "events": 1,
                     *           "waiting": 0,
                     *           "fetched": 0,
                     *           "is_new": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SyncPreview"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    join_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitedLocation"];
            };
        };
        responses: {
            /** @description the report of the pass */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "began": "2026-11-19T14:13:58.923979Z",
                     *       "ended": "2026-11-19T14:13:58.947263Z",
                     *       "written": 0,
                     *       "written_bytes": 0,
                     *       "has_new_head": false,
                     *       "stopped": null,
                     *       "is_behind": false,
                     *       "problem": null,
                     *       "hint": null,
                     *       "warnings": [],
                     *       "ignored": [],
                     *       "devices": [
                     *         {
                     *           "id": "on6krko2",
                     *           "name": "laptop",
                     *           "state": "identical",
                     *           "text": "",
                     *           "made": "2026-11-19T14:13:57.605773Z",
                     *           "since": "2026-11-19T14:13:58.931660Z",
                     *           "buckets": 1,
                     *           "events": 1,
                     *           "waiting": 0,
                     *           "fetched": 1,
                     *           "is_new": false
                     *         }
                     *       ],
                     *       "sources": []
                     *     }
                     */
                    "application/json": components["schemas"]["PassReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    run_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the report of the pass */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "began": "2026-11-19T14:13:58.768708Z",
                     *       "ended": "2026-11-19T14:13:58.815171Z",
                     *       "written": 0,
                     *       "written_bytes": 0,
                     *       "has_new_head": false,
                     *       "stopped": null,
                     *       "is_behind": false,
                     *       "problem": null,
                     *       "hint": null,
                     *       "warnings": [],
                     *       "ignored": [],
                     *       "devices": [
                     *         {
                     *           "id": "on6krko2",
                     *           "name": "laptop",
                     *           "state": "identical",
                     *           "text": "",
                     *           "made": "2026-11-19T14:13:57.605773Z",
                     *           "since": "2026-11-19T14:13:58.777433Z",
                     *           "buckets": 1,
                     *           "events": 1,
                     *           "waiting": 0,
                     *           "fetched": 1,
                     *           "is_new": true
                     *         }
                     *       ],
                     *       "sources": []
                     *     }
                     */
                    "application/json": components["schemas"]["PassReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    verify_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the report of the pass */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "began": "2026-11-19T14:13:58.821450Z",
                     *       "ended": "2026-11-19T14:13:58.839019Z",
                     *       "written": 0,
                     *       "written_bytes": 0,
                     *       "has_new_head": false,
                     *       "stopped": null,
                     *       "is_behind": false,
                     *       "problem": null,
                     *       "hint": null,
                     *       "warnings": [],
                     *       "ignored": [],
                     *       "devices": [
                     *         {
                     *           "id": "on6krko2",
                     *           "name": "laptop",
                     *           "state": "identical",
                     *           "text": "",
                     *           "made": "2026-11-19T14:13:57.605773Z",
                     *           "since": "2026-11-19T14:13:58.777433Z",
                     *           "buckets": 1,
                     *           "events": 1,
                     *           "waiting": 0,
                     *           "fetched": 0,
                     *           "is_new": true
                     *         }
                     *       ],
                     *       "sources": []
                     *     }
                     */
                    "application/json": components["schemas"]["PassReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    recover_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description what was merged */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "restored": 1,
                     *       "kept": 0,
                     *       "removed": 0,
                     *       "group": "sync-1795097637605-2"
                     *     }
                     */
                    "application/json": components["schemas"]["Recovered"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    adopt_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the device id, or `keys` */
                device: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Adopting"];
            };
        };
        responses: {
            /** @description what was adopted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device": "kudcgtx2",
                     *       "name": "laptop",
                     *       "buckets": [
                     *         {
                     *           "bucket": "aw-watcher-window_laptop@kudcgtx2",
                     *           "into": "aw-watcher-window_laptop",
                     *           "is_new": true,
                     *           "events": 4
                     *         },
                     *         {
                     *           "bucket": "aw-watcher-afk_laptop@kudcgtx2",
                     *           "into": "aw-watcher-afk_laptop",
                     *           "is_new": true,
                     *           "events": 1
                     *         }
                     *       ],
                     *       "events": 6,
                     *       "group": null
                     *     }
                     */
                    "application/json": components["schemas"]["Adoption"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
    confirm_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the device id, or `keys` */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the state of sync */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "is_on": true,
                     *       "location": "/home/you/Sync",
                     *       "device": {
                     *         "id": "on6krko2",
                     *         "name": "laptop",
                     *         "published": "2026-11-19T14:13:56.701155Z",
                     *         "buckets": 1,
                     *         "events": 1
                     *       },
                     *       "report": {
                     *         "began": "2026-11-19T14:13:56.696749Z",
                     *         "ended": "2026-11-19T14:13:56.764586Z",
                     *         "written": 0,
                     *         "written_bytes": 0,
                     *         "has_new_head": true,
                     *         "stopped": null,
                     *         "is_behind": false,
                     *         "problem": null,
                     *         "hint": null,
                     *         "warnings": [],
                     *         "ignored": [],
                     *         "devices": [
                     *           {
                     *             "id": "kudcgtx2",
                     *             "name": "laptop",
                     *             "state": "identical",
                     *             "text": "",
                     *             "made": "2026-11-19T14:13:55.418713Z",
                     *             "since": "2026-11-19T14:13:56.728900Z",
                     *             "buckets": 4,
                     *             "events": 6,
                     *             "waiting": 0,
                     *             "fetched": 3,
                     *             "is_new": false
                     *           }
                     *         ],
                     *         "sources": []
                     *       },
                     *       "next_pass": null,
                     *       "sources": []
                     *     }
                     */
                    "application/json": components["schemas"]["SyncStatus"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    remove_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the device id, or `keys` */
                device: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Removing"];
            };
        };
        responses: {
            /** @description the report of the pass */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "began": "2026-11-19T14:14:00.037202Z",
                     *       "ended": "2026-11-19T14:14:00.080037Z",
                     *       "written": 2,
                     *       "written_bytes": 1456,
                     *       "has_new_head": true,
                     *       "stopped": null,
                     *       "is_behind": false,
                     *       "problem": null,
                     *       "hint": null,
                     *       "warnings": [],
                     *       "ignored": [],
                     *       "devices": [
                     *         {
                     *           "id": "kudcgtx2",
                     *           "name": "laptop",
                     *           "state": "removed",
                     *           "text": "removed by laptop",
                     *           "made": null,
                     *           "since": "2026-11-19T14:14:00.079020Z",
                     *           "buckets": 0,
                     *           "events": 0,
                     *           "waiting": 0,
                     *           "fetched": 0,
                     *           "is_new": false
                     *         }
                     *       ],
                     *       "sources": []
                     *     }
                     */
                    "application/json": components["schemas"]["PassReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
    get_invite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the invite */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invite": "dayline-sync_k7f3q2ab_…",
                     *       "location": "/home/you/Sync"
                     *     }
                     */
                    "application/json": components["schemas"]["Invite"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooMany"];
        };
    };
    leave_sync: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Leaving"];
            };
        };
        responses: {
            /** @description an empty object */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_sync_sources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the folders with their devices */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sources": [
                     *         {
                     *           "path": "/home/you/ActivityWatchSync",
                     *           "problem": null,
                     *           "devices": [
                     *             {
                     *               "id": "fo2fbb3u",
                     *               "name": "phone",
                     *               "state": "current",
                     *               "text": "",
                     *               "read": "2026-11-19T14:13:59.669837Z",
                     *               "buckets": 1,
                     *               "events": 1,
                     *               "repeated": 0,
                     *               "invalid": 0
                     *             }
                     *           ],
                     *           "ignored": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SourceList"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    add_sync_source: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSource"];
            };
        };
        responses: {
            /** @description the folder with its devices */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/home/you/ActivityWatchSync",
                     *       "problem": null,
                     *       "devices": [
                     *         {
                     *           "id": "fo2fbb3u",
                     *           "name": "phone",
                     *           "state": "current",
                     *           "text": "",
                     *           "read": "2026-11-19T14:13:59.669837Z",
                     *           "buckets": 1,
                     *           "events": 1,
                     *           "repeated": 0,
                     *           "invalid": 0
                     *         }
                     *       ],
                     *       "ignored": []
                     *     }
                     */
                    "application/json": components["schemas"]["SourceReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    remove_sync_source: {
        parameters: {
            query: {
                /** @description the folder */
                path: string;
                /** @description also delete its mirrors; default: they stay */
                delete_mirrors?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description an empty object */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_sync_files: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the devices */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "devices": {
                     *         "k7f3q2ab": {
                     *           "head": null,
                     *           "packs": "d51aa37609bb10df"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["StoredSpace"];
                };
            };
            /** @description not modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_sync_packs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the device id, or `keys` */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the names of its packs */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "packs": [
                     *         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StoredNames"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_sync_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the device id, or `keys` */
                device: string;
                /** @description the name of the file: `head`, or that of a pack */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the encrypted file */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/octet-stream": string;
                };
            };
            /** @description not modified */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    put_sync_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the device id, or `keys` */
                device: string;
                /** @description the name of the file: `head`, or that of a pack */
                file: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_sync_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the device id, or `keys` */
                device: string;
                /** @description the name of the file: `head`, or that of a pack */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description committed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
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
                    /**
                     * @example {
                     *       "measured": "2026-11-19T14:13:49.448216Z",
                     *       "database": {
                     *         "is_exact": true,
                     *         "file": 380928,
                     *         "parts": {
                     *           "events": 1038,
                     *           "values": 8192,
                     *           "trash": 23538,
                     *           "redactions": 16384,
                     *           "audit": 8192,
                     *           "unused": 0,
                     *           "free": 233472,
                     *           "other": 90112
                     *         },
                     *         "buckets": [
                     *           {
                     *             "id": "aw-watcher-window_laptop",
                     *             "events": 6,
                     *             "values": 4,
                     *             "event_bytes": 692,
                     *             "value_bytes": 4566,
                     *             "bytes": 5258
                     *           },
                     *           {
                     *             "id": "aw-watcher-web-firefox_laptop",
                     *             "events": 1,
                     *             "values": 1,
                     *             "event_bytes": 116,
                     *             "value_bytes": 1653,
                     *             "bytes": 1769
                     *           }
                     *         ],
                     *         "years": [
                     *           {
                     *             "year": 2026,
                     *             "events": 9,
                     *             "bytes": 9230
                     *           }
                     *         ]
                     *       },
                     *       "segments": 0,
                     *       "log": 2661552,
                     *       "backups": 0,
                     *       "total": 3042480
                     *     }
                     */
                    "application/json": components["schemas"]["Space"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description all rules, in order */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": []
                     *     }
                     */
                    "application/json": components["schemas"]["RetentionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description all rules after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": [
                     *         {
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "days": 365,
                     *           "buckets": [
                     *             "aw-watcher-window_laptop"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RetentionView"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example [
                     *       {
                     *         "bucket": "aw-watcher-window_laptop",
                     *         "days": 365,
                     *         "events": 4,
                     *         "after": 4,
                     *         "bytes": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DownsamplingPreview"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                    /**
                     * @example [
                     *       {
                     *         "bucket": "aw-watcher-window_laptop",
                     *         "days": 365,
                     *         "removed": 0,
                     *         "undo": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DownsampledBucket"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the current step, and the last result */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "idle",
                     *       "done": 0,
                     *       "of": 0,
                     *       "last": {
                     *         "values": 0,
                     *         "before": 167936,
                     *         "after": 167936,
                     *         "seconds": 0.195
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the result */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "values": 0,
                     *       "before": 167936,
                     *       "after": 167936,
                     *       "seconds": 0.195
                     *     }
                     */
                    "application/json": components["schemas"]["Compacted"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the devices, the most recently active first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "now": "2026-11-19T14:13:51.786954Z",
                     *       "is_settled": true,
                     *       "devices": [
                     *         {
                     *           "device": "laptop",
                     *           "app": "Code",
                     *           "title": "x",
                     *           "url": null,
                     *           "truncated": [],
                     *           "category": [
                     *             "Uncategorized"
                     *           ],
                     *           "since": "2026-02-03T08:36:00Z",
                     *           "away": false,
                     *           "away_since": null,
                     *           "last_seen": "2026-02-03T09:00:00Z",
                     *           "is_recording": false,
                     *           "health": "quiet"
                     *         },
                     *         {
                     *           "device": "desktop",
                     *           "app": null,
                     *           "title": null,
                     *           "url": null,
                     *           "truncated": [],
                     *           "category": null,
                     *           "since": null,
                     *           "away": false,
                     *           "away_since": null,
                     *           "last_seen": null,
                     *           "is_recording": false,
                     *           "health": "quiet"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NowResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_timeline: {
        parameters: {
            query?: {
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
                /** @description width of a lane in pixels, and so its max number of segments; default: 1200 */
                px?: number;
                /** @description `bucket` (the default): one lane per bucket; `device`: the active time of each device; else the id of a bucket, which may be repeated */
                lanes?: string[];
                /** @description the field that segments show: `category`, `domain` or any field of the data; default: depends on the type of the bucket */
                color?: string;
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the lanes, grouped by device */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-02-03T00:00:00+00:00",
                     *         "end": "2026-02-04T00:00:00+00:00",
                     *         "tz": "UTC",
                     *         "day_start": "04:00",
                     *         "week_start": "monday",
                     *         "label": "3 Feb 2026 00:00 to 4 Feb 2026 00:00"
                     *       },
                     *       "px": 1200,
                     *       "lanes": [
                     *         {
                     *           "bucket": "aw-watcher-window_laptop",
                     *           "device": "laptop",
                     *           "type": "currentwindow",
                     *           "events": 5,
                     *           "is_exact": true,
                     *           "gap": [
                     *             29731250000,
                     *             256250000
                     *           ],
                     *           "dur": [
                     *             12500000,
                     *             600000000
                     *           ],
                     *           "key": [
                     *             0,
                     *             1
                     *           ],
                     *           "title": [
                     *             0,
                     *             1
                     *           ],
                     *           "share": [
                     *             1,
                     *             1
                     *           ],
                     *           "cat": [
                     *             0,
                     *             0
                     *           ],
                     *           "n": [
                     *             1,
                     *             1
                     *           ],
                     *           "cover": [
                     *             1,
                     *             1
                     *           ],
                     *           "id": [
                     *             2735,
                     *             2736
                     *           ]
                     *         },
                     *         {
                     *           "bucket": "aw-watcher-afk_laptop",
                     *           "device": "laptop",
                     *           "type": "afkstatus",
                     *           "events": 1,
                     *           "is_exact": true,
                     *           "gap": [
                     *             28800000000
                     *           ],
                     *           "dur": [
                     *             3600000000
                     *           ],
                     *           "key": [
                     *             3
                     *           ],
                     *           "title": [
                     *             -1
                     *           ],
                     *           "share": [
                     *             1
                     *           ],
                     *           "cat": [
                     *             -1
                     *           ],
                     *           "n": [
                     *             1
                     *           ],
                     *           "cover": [
                     *             1
                     *           ],
                     *           "id": [
                     *             2740
                     *           ]
                     *         }
                     *       ],
                     *       "keys": [
                     *         "Editor",
                     *         "Code"
                     *       ],
                     *       "truncated_keys": [],
                     *       "titles": [
                     *         "notes.md",
                     *         "main.py"
                     *       ],
                     *       "truncated_titles": [],
                     *       "categories": [
                     *         [
                     *           "Uncategorized"
                     *         ]
                     *       ],
                     *       "overview": [
                     *         0,
                     *         0
                     *       ],
                     *       "nearest": null
                     *     }
                     */
                    "application/json": components["schemas"]["TimelineResponse"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_sessions: {
        parameters: {
            query?: {
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
                /** @description leave out sessions shorter than this many seconds; 120 by default */
                min_s?: number;
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the sessions by start */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-02-03T00:00:00+00:00",
                     *         "end": "2026-02-04T00:00:00+00:00",
                     *         "tz": "UTC",
                     *         "day_start": "04:00",
                     *         "week_start": "monday",
                     *         "label": "3 Feb 2026 00:00 to 4 Feb 2026 00:00"
                     *       },
                     *       "sessions": [
                     *         {
                     *           "start": "2026-02-03T08:20:00+00:00",
                     *           "end": "2026-02-03T08:30:00+00:00",
                     *           "active": 600,
                     *           "app": "Code",
                     *           "title": "main.py",
                     *           "category": [
                     *             "Uncategorized"
                     *           ],
                     *           "device": "laptop",
                     *           "truncated": []
                     *         },
                     *         {
                     *           "start": "2026-02-03T08:30:00+00:00",
                     *           "end": "2026-02-03T08:35:00+00:00",
                     *           "active": 300,
                     *           "app": "Mail",
                     *           "title": "Payroll 2026.xlsx",
                     *           "category": [
                     *             "Uncategorized"
                     *           ],
                     *           "device": "laptop",
                     *           "truncated": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionsResponse"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
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
                /** @description only this topic; may be repeated; default: all */
                topic?: ("bucket" | "goal" | "job" | "now" | "revision" | "settings")[];
                /** @description the same, for clients that cannot send the header */
                last_event_id?: string;
                /** @description 0: only send missed messages and the current activity, then end */
                follow?: "0" | "1";
            };
            header?: {
                /** @description the last id received: messages after it are sent first */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description messages until either side closes the connection */
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
            401: components["responses"]["Unauthorized"];
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
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all categories, in order */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": {
                     *         "number": 6,
                     *         "changed": "2026-11-19T14:13:51.512480Z",
                     *         "author": "a program without a key",
                     *         "comment": "the first ones"
                     *       },
                     *       "categories": [
                     *         {
                     *           "id": 0,
                     *           "name": [
                     *             "Work"
                     *           ],
                     *           "rule": null,
                     *           "conditions": [],
                     *           "priority": null,
                     *           "color": "blue",
                     *           "is_always_active": false,
                     *           "data": {}
                     *         },
                     *         {
                     *           "id": 1,
                     *           "name": [
                     *             "Work",
                     *             "Code"
                     *           ],
                     *           "rule": {
                     *             "regex": "GitHub|vim",
                     *             "ignore_case": true,
                     *             "select_keys": null,
                     *             "priority": null
                     *           },
                     *           "conditions": [
                     *             {
                     *               "field": "domain",
                     *               "op": "is",
                     *               "value": "docs.python.org",
                     *               "ignore_case": true
                     *             }
                     *           ],
                     *           "priority": null,
                     *           "color": null,
                     *           "is_always_active": false,
                     *           "data": {}
                     *         }
                     *       ],
                     *       "colors": [
                     *         {
                     *           "light": "#315cbf",
                     *           "dark": "#769ff2",
                     *           "terminal": "#315cbf"
                     *         },
                     *         {
                     *           "light": "#416ed3",
                     *           "dark": "#88b2ff",
                     *           "terminal": "#416ed3"
                     *         }
                     *       ],
                     *       "faults": []
                     *     }
                     */
                    "application/json": components["schemas"]["Categories"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_categories: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
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
            /** @description all categories after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": {
                     *         "number": 6,
                     *         "changed": "2026-11-19T14:13:51.512480Z",
                     *         "author": "a program without a key",
                     *         "comment": "the first ones"
                     *       },
                     *       "categories": [
                     *         {
                     *           "id": 0,
                     *           "name": [
                     *             "Work"
                     *           ],
                     *           "rule": null,
                     *           "conditions": [],
                     *           "priority": null,
                     *           "color": "blue",
                     *           "is_always_active": false,
                     *           "data": {}
                     *         },
                     *         {
                     *           "id": 1,
                     *           "name": [
                     *             "Work",
                     *             "Code"
                     *           ],
                     *           "rule": {
                     *             "regex": "GitHub|vim",
                     *             "ignore_case": true,
                     *             "select_keys": null,
                     *             "priority": null
                     *           },
                     *           "conditions": [
                     *             {
                     *               "field": "domain",
                     *               "op": "is",
                     *               "value": "docs.python.org",
                     *               "ignore_case": true
                     *             }
                     *           ],
                     *           "priority": null,
                     *           "color": null,
                     *           "is_always_active": false,
                     *           "data": {}
                     *         }
                     *       ],
                     *       "colors": [
                     *         {
                     *           "light": "#315cbf",
                     *           "dark": "#769ff2",
                     *           "terminal": "#315cbf"
                     *         },
                     *         {
                     *           "light": "#416ed3",
                     *           "dark": "#88b2ff",
                     *           "terminal": "#416ed3"
                     *         }
                     *       ],
                     *       "faults": [],
                     *       "previous": 5
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedCategories"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description the `cursor` of the previous page */
                cursor?: number;
                /** @description max versions; default: 100 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the versions, the latest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "number": 6,
                     *           "changed": "2026-11-19T14:13:51.512480Z",
                     *           "author": "a program without a key",
                     *           "comment": "the first ones"
                     *         },
                     *         {
                     *           "number": 5,
                     *           "changed": "2026-11-19T14:13:49.270797Z",
                     *           "author": "ActivityWatch client",
                     *           "comment": ""
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["CategoryVersions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    get_category_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the number of the version */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all categories of that version */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": {
                     *         "number": 1,
                     *         "changed": "2026-11-19T14:13:46.764410Z",
                     *         "author": "ActivityWatch client",
                     *         "comment": ""
                     *       },
                     *       "categories": [
                     *         {
                     *           "id": 0,
                     *           "name": [
                     *             "Work",
                     *             "Programming"
                     *           ],
                     *           "rule": {
                     *             "regex": "Code|Terminal|github",
                     *             "ignore_case": true,
                     *             "select_keys": null,
                     *             "priority": null
                     *           },
                     *           "conditions": [],
                     *           "priority": null,
                     *           "color": "#0F0",
                     *           "is_always_active": false,
                     *           "data": {}
                     *         },
                     *         {
                     *           "id": 1,
                     *           "name": [
                     *             "Media"
                     *           ],
                     *           "rule": {
                     *             "regex": "youtube|Spotify",
                     *             "ignore_case": false,
                     *             "select_keys": null,
                     *             "priority": null
                     *           },
                     *           "conditions": [],
                     *           "priority": null,
                     *           "color": null,
                     *           "is_always_active": false,
                     *           "data": {}
                     *         }
                     *       ],
                     *       "colors": [
                     *         {
                     *           "light": "#00a700",
                     *           "dark": "#00ff00",
                     *           "terminal": "#00a700"
                     *         },
                     *         {
                     *           "light": "#315cbf",
                     *           "dark": "#769ff2",
                     *           "terminal": "#315cbf"
                     *         }
                     *       ],
                     *       "faults": []
                     *     }
                     */
                    "application/json": components["schemas"]["Categories"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    restore_category_version: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path: {
                /** @description the number of the version */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all categories after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": {
                     *         "number": 10,
                     *         "changed": "2026-11-19T14:13:55.247532Z",
                     *         "author": "a program without a key",
                     *         "comment": "restored version 6"
                     *       },
                     *       "categories": [
                     *         {
                     *           "id": 0,
                     *           "name": [
                     *             "Work"
                     *           ],
                     *           "rule": null,
                     *           "conditions": [],
                     *           "priority": null,
                     *           "color": "blue",
                     *           "is_always_active": false,
                     *           "data": {}
                     *         },
                     *         {
                     *           "id": 1,
                     *           "name": [
                     *             "Work",
                     *             "Code"
                     *           ],
                     *           "rule": {
                     *             "regex": "GitHub|vim",
                     *             "ignore_case": true,
                     *             "select_keys": null,
                     *             "priority": null
                     *           },
                     *           "conditions": [
                     *             {
                     *               "field": "domain",
                     *               "op": "is",
                     *               "value": "docs.python.org",
                     *               "ignore_case": true
                     *             }
                     *           ],
                     *           "priority": null,
                     *           "color": null,
                     *           "is_always_active": false,
                     *           "data": {}
                     *         }
                     *       ],
                     *       "colors": [
                     *         {
                     *           "light": "#315cbf",
                     *           "dark": "#769ff2",
                     *           "terminal": "#315cbf"
                     *         },
                     *         {
                     *           "light": "#416ed3",
                     *           "dark": "#88b2ff",
                     *           "terminal": "#416ed3"
                     *         }
                     *       ],
                     *       "faults": [],
                     *       "previous": 9
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedCategories"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the deciding rule, and the others that match */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "category": [
                     *         "Uncategorized"
                     *       ],
                     *       "winner": null,
                     *       "others": [],
                     *       "annotation": null,
                     *       "is_active": true,
                     *       "data": {
                     *         "window": {
                     *           "app": "Code",
                     *           "title": "main.py"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
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
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-11-19T05:00:00+01:00",
                     *         "end": "2026-11-20T05:00:00+01:00",
                     *         "tz": "Europe/Berlin",
                     *         "day_start": "05:00",
                     *         "week_start": "monday",
                     *         "label": "Thu 19 Nov 2026"
                     *       },
                     *       "moved": 0,
                     *       "moves": [],
                     *       "totals": [],
                     *       "samples": [],
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
                /** @description max suggestions; default: 20 */
                limit?: number;
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
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
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-11-19T05:00:00+01:00",
                     *         "end": "2026-11-20T05:00:00+01:00",
                     *         "tz": "Europe/Berlin",
                     *         "day_start": "05:00",
                     *         "week_start": "monday",
                     *         "label": "Thu 19 Nov 2026"
                     *       },
                     *       "uncategorized": 0,
                     *       "suggestions": [],
                     *       "ignored": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
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
            /** @description all ignored suggestions */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ignored": [
                     *         "domain:example.org"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IgnoredSuggestions"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description the sets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "work",
                     *         "title": "Work at a computer",
                     *         "description": "Code, documents, design and communication apart from leisure.",
                     *         "categories": [
                     *           {
                     *             "id": 0,
                     *             "name": [
                     *               "Work"
                     *             ],
                     *             "rule": null,
                     *             "conditions": [],
                     *             "priority": null,
                     *             "color": "blue",
                     *             "is_always_active": false,
                     *             "data": {}
                     *           },
                     *           {
                     *             "id": 1,
                     *             "name": [
                     *               "Work",
                     *               "Code"
                     *             ],
                     *             "rule": null,
                     *             "conditions": [
                     *               {
                     *                 "field": "app",
                     *                 "op": "is",
                     *                 "value": "Code",
                     *                 "ignore_case": true
                     *               },
                     *               {
                     *                 "field": "app",
                     *                 "op": "is",
                     *                 "value": "Cursor",
                     *                 "ignore_case": true
                     *               }
                     *             ],
                     *             "priority": null,
                     *             "color": null,
                     *             "is_always_active": false,
                     *             "data": {}
                     *           }
                     *         ]
                     *       },
                     *       {
                     *         "id": "study",
                     *         "title": "Study",
                     *         "description": "Reading, writing, courses and practice apart from everything else.",
                     *         "categories": [
                     *           {
                     *             "id": 0,
                     *             "name": [
                     *               "Study"
                     *             ],
                     *             "rule": null,
                     *             "conditions": [],
                     *             "priority": null,
                     *             "color": "violet",
                     *             "is_always_active": false,
                     *             "data": {}
                     *           },
                     *           {
                     *             "id": 1,
                     *             "name": [
                     *               "Study",
                     *               "Reading"
                     *             ],
                     *             "rule": null,
                     *             "conditions": [
                     *               {
                     *                 "field": "domain",
                     *                 "op": "is",
                     *                 "value": "scholar.google.com",
                     *                 "ignore_case": true
                     *               },
                     *               {
                     *                 "field": "domain",
                     *                 "op": "is",
                     *                 "value": "arxiv.org",
                     *                 "ignore_case": true
                     *               }
                     *             ],
                     *             "priority": null,
                     *             "color": null,
                     *             "is_always_active": false,
                     *             "data": {}
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["StarterSet"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
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
            /** @description a document for `POST /api/1/categories/import` */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "dayline.categories",
                     *       "version": 1,
                     *       "categories": [
                     *         {
                     *           "id": 0,
                     *           "name": [
                     *             "Work"
                     *           ],
                     *           "rule": null,
                     *           "conditions": [],
                     *           "priority": null,
                     *           "color": "blue",
                     *           "is_always_active": false,
                     *           "data": {}
                     *         },
                     *         {
                     *           "id": 1,
                     *           "name": [
                     *             "Work",
                     *             "Code"
                     *           ],
                     *           "rule": {
                     *             "regex": "GitHub|vim",
                     *             "ignore_case": true,
                     *             "select_keys": null,
                     *             "priority": null
                     *           },
                     *           "conditions": [
                     *             {
                     *               "field": "domain",
                     *               "op": "is",
                     *               "value": "docs.python.org",
                     *               "ignore_case": true
                     *             }
                     *           ],
                     *           "priority": null,
                     *           "color": null,
                     *           "is_always_active": false,
                     *           "data": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CategoryDocument"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    import_categories: {
        parameters: {
            query?: {
                /** @description default: `merge` */
                mode?: "merge" | "replace";
                /** @description only preview the import */
                dry_run?: boolean;
                /** @description reason for the change, for the history */
                comment?: string;
            };
            header?: {
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
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
            /** @description the outcome for each category */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "name": [
                     *             "Work"
                     *           ],
                     *           "outcome": "changed"
                     *         }
                     *       ],
                     *       "is_dry_run": false,
                     *       "version": {
                     *         "number": 9,
                     *         "changed": "2026-11-19T14:13:55.240948Z",
                     *         "author": "a program without a key",
                     *         "comment": "imported (merge)"
                     *       },
                     *       "previous": 6
                     *     }
                     */
                    "application/json": components["schemas"]["CategoryImport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_projects: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 304 if it is current */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all projects, in order */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projects": [
                     *         {
                     *           "name": "Website",
                     *           "categories": [
                     *             [
                     *               "Work"
                     *             ]
                     *           ],
                     *           "conditions": [],
                     *           "rate": 80,
                     *           "is_billable": true,
                     *           "color": null
                     *         }
                     *       ],
                     *       "colors": [
                     *         {
                     *           "light": "#315cbf",
                     *           "dark": "#769ff2",
                     *           "terminal": "#315cbf"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            /** @description not modified */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooMany"];
        };
    };
    set_projects: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that the client has; the response is 412 if it has changed */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectsChange"];
            };
        };
        responses: {
            /** @description all projects */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projects": [
                     *         {
                     *           "name": "Website",
                     *           "categories": [
                     *             [
                     *               "Work"
                     *             ]
                     *           ],
                     *           "conditions": [],
                     *           "rate": 80,
                     *           "is_billable": true,
                     *           "color": null
                     *         }
                     *       ],
                     *       "colors": [
                     *         {
                     *           "light": "#315cbf",
                     *           "dark": "#769ff2",
                     *           "terminal": "#315cbf"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["Stale"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
        };
    };
    preview_projects: {
        parameters: {
            query?: {
                /** @description start of the range; use with `end`, or use `period` */
                start?: string;
                /** @description end of the range (exclusive) */
                end?: string;
                /** @description a named range; default: `today` */
                period?: "day" | "last-30-days" | "last-7-days" | "last-month" | "last-week" | "last-year" | "month" | "today" | "week" | "year" | "yesterday";
                /** @description a day in the period; default: today */
                date?: string;
                /** @description time zone of days; default: that of the preferences, else UTC */
                tz?: string;
                /** @description when days start; default: the preference */
                day_start?: string;
                /** @description first day of the week; default: the preference */
                week_start?: "monday" | "saturday" | "sunday";
                /** @description only this device, by its host name; may be repeated */
                device?: string[];
                /** @description only time that matches, as `field:op:value`; may be repeated */
                filter?: string[];
                /** @description `include` also counts time away from the device */
                away?: "exclude" | "include";
                /** @description `off` ignores annotations */
                annotations?: "off" | "on";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectsChange"];
            };
        };
        responses: {
            /** @description the summary of the range by project */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Revision: components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "range": {
                     *         "start": "2026-11-19T05:00:00+01:00",
                     *         "end": "2026-11-20T05:00:00+01:00",
                     *         "tz": "Europe/Berlin",
                     *         "day_start": "05:00",
                     *         "week_start": "monday",
                     *         "label": "Thu 19 Nov 2026"
                     *       },
                     *       "totals": {
                     *         "active": 0,
                     *         "unfiltered": 0,
                     *         "away": 0,
                     *         "nodata": 36835.298717,
                     *         "first": null,
                     *         "last": null,
                     *         "longest_focus": 0,
                     *         "focus": null,
                     *         "switches": 0,
                     *         "overlap": 0
                     *       },
                     *       "lists": {
                     *         "project": []
                     *       },
                     *       "more": {
                     *         "project": 0
                     *       },
                     *       "without": {
                     *         "project": 0
                     *       },
                     *       "devices": []
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
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
            /** @description the names, sorted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example [] */
                    "application/json": string[];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
        };
    };
}
