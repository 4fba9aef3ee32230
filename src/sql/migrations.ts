/**
 * Every change of the schema, in order; the database remembers how many it has. Append only: a released migration is
 * never edited. Each runs in the transaction that records it.
 */
export const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'store, decisions and uses',
    sql: `
      create table store_rows (
        collection text not null,
        key text not null,
        text text not null,
        primary key (collection, key)
      ) strict;

      create table decisions (
        seq integer primary key autoincrement,
        id text not null unique,
        time integer not null,
        fire_id text,
        point text not null,
        hook text not null,
        package text,
        version text,
        action text not null,
        code text,
        reason text,
        duration_ms real not null,
        session_id text,
        turn_id text,
        tool_call_id text,
        would_block integer not null,
        role text
      ) strict;
      create index decisions_by_time on decisions (time, seq);
      create index decisions_by_hook on decisions (hook, time, seq);
      create index decisions_by_session on decisions (session_id, time, seq);
      create index decisions_by_code on decisions (code, time, seq) where code is not null;

      create table uses (
        package text not null,
        hook text not null,
        capability text not null,
        scope text not null,
        day text not null,
        count integer not null,
        primary key (package, hook, capability, scope, day)
      ) strict, without rowid;
    `,
  },
  {
    name: 'approvals, budgets and history',
    sql: `
      create table approvals (
        id text not null primary key,
        created integer not null,
        expires integer not null,
        point text not null,
        hook text not null,
        tool_name text,
        session_id text,
        turn_id text,
        tool_call_id text,
        hash text not null,
        rule text not null,
        default_answer text not null,
        status text not null,
        answered_by text,
        mac text not null,
        content text
      ) strict;
      create index approvals_by_status on approvals (status, created);

      create table approval_rules (
        session_id text not null,
        rule text not null,
        mac text not null,
        primary key (session_id, rule)
      ) strict, without rowid;

      create table spend (
        layer text not null,
        name text not null,
        spent real not null,
        told real not null,
        primary key (layer, name)
      ) strict, without rowid;

      create table messages (
        seq integer primary key autoincrement,
        id text not null unique,
        session_id text not null,
        time integer not null,
        text text not null,
        is_evicted integer not null
      ) strict;
      create index messages_by_session on messages (session_id, is_evicted, seq);
    `,
  },
  {
    name: 'changes of grants',
    sql: `
      create table grant_changes (
        seq integer primary key autoincrement,
        time integer not null,
        by text not null,
        action text not null,
        target text not null,
        capabilities text not null
      ) strict;
    `,
  },
  {
    name: 'modes and reloads',
    sql: `
      create table mode_changes (
        seq integer primary key autoincrement,
        time integer not null,
        by text not null,
        hook text not null,
        mode text not null,
        base text not null,
        reason text
      ) strict;

      create table reloads (
        seq integer primary key autoincrement,
        time integer not null,
        by text not null,
        outcome text not null,
        detail text not null
      ) strict;
    `,
  },
  {
    name: 'records by every column, and payloads',
    sql: `
      drop index decisions_by_hook;
      create index decisions_by_hook on decisions (hook, time, seq, action, point);
      create index decisions_by_package on decisions (package, time, seq, action, point)
        where package is not null;
      create index decisions_by_version on decisions (version, time, seq, package)
        where version is not null;
      create index decisions_by_point on decisions (point, time, seq, action);
      create index decisions_by_action on decisions (action, time, seq);
      create index decisions_by_fire on decisions (fire_id) where fire_id is not null;
      create index decisions_by_turn on decisions (turn_id, time, seq) where turn_id is not null;
      create index decisions_by_tool_call on decisions (tool_call_id, time, seq)
        where tool_call_id is not null;
      create index decisions_by_role on decisions (role, time, seq) where role is not null;
      create index decisions_that_would_block on decisions (time, seq) where would_block = 1;

      create table decision_payloads (
        seq integer primary key,
        decision_id text not null unique,
        time integer not null,
        sealed blob not null
      ) strict;
      create index decision_payloads_by_time on decision_payloads (time);
    `,
  },
  {
    name: 'records of a hook that have a code',
    sql: `
      create index decisions_of_hook_with_code on decisions (hook, time, seq)
        where code is not null;
    `,
  },
  {
    name: 'modes of the hooks of one package',
    sql: 'alter table mode_changes add column origin text;',
  },
  {
    name: 'other acts of operators',
    sql: `
      create table operator_acts (
        seq integer primary key autoincrement,
        time integer not null,
        by text not null,
        act text not null,
        target text not null,
        detail text not null
      ) strict;
    `,
  },
];

/** Tables of one connection that vanish with it. */
export const TEMPORARY_TABLES = `
  create temp table store_staging (
    load text not null,
    key text not null,
    text text not null,
    primary key (load, key)
  ) strict, without rowid;
`;
