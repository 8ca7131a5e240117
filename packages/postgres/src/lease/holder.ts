import { StoreError } from '@dramaturg/host';

/** The host that has a store, as its lease names it. */
export interface Holder {
  /** A description for people: the `name` of the host. */
  readonly owner: string;
  /** The name of its machine. */
  readonly host: string;
  readonly pid: number;
  /** The fencing token: grows by one each time a host takes the store. */
  readonly token: bigint;
  /** ISO 8601, by the clock of the database, like `renewedAt`. */
  readonly since: string;
  readonly renewedAt: string;
}

/** The state of a lease. */
export interface LeaseState {
  /** The present holder, or the last one when the lease is free. Undefined if no host ever had it. */
  readonly holder: Holder | undefined;
  readonly claim: string | undefined;
  /** Milliseconds until the lease expires, by the clock of the database. 0 when it is free or has expired. */
  readonly remainingMs: number;
  /** Milliseconds after a crash of the server in which only the last holder may renew an expired lease. */
  readonly graceMs: number;
}

/** A row returned by `LeaseStatements.read`. */
interface LeaseRow {
  readonly token: string;
  readonly claim: string | null;
  /** Null, like the following fields, if no host ever had the lease. */
  readonly owner: string | null;
  readonly host: string;
  readonly pid: number;
  readonly since: Date;
  readonly renewed_at: Date;
  /** A number as a string. */
  readonly remaining_ms: string;
  /** A number as a string; also null if no candidate has asked since the crash. */
  readonly grace_ms: string | null;
}

export function leaseStateOf(row: object): LeaseState {
  const { token, claim, owner, host, pid, since, ...times } = row as LeaseRow;
  return {
    holder:
      owner === null
        ? undefined
        : {
            owner,
            host,
            pid,
            token: BigInt(token),
            since: since.toISOString(),
            renewedAt: times.renewed_at.toISOString(),
          },
    claim: claim ?? undefined,
    remainingMs: claim === null ? 0 : Math.max(0, Number(times.remaining_ms)),
    graceMs: claim === null ? 0 : Math.max(0, Number(times.grace_ms)),
  };
}

export function storeOwned(schema: string, { holder }: LeaseState): StoreError {
  const who = holder === undefined ? 'another host' : describe(holder);
  return new StoreError(
    'store/owned',
    `The store is in use by ${who}. To wait for it, open it as a standby. (Schema ${quoted(schema)}.)`,
  );
}

export function storeLost(own: Pick<Holder, 'token'>, state: LeaseState | undefined): StoreError {
  const by = state?.holder;
  const who =
    by === undefined || state?.claim === undefined
      ? 'Another host has taken the store and released it again'
      : `The store has been taken over by ${quoted(by.owner)}, process ${by.pid} on ${quoted(by.host)}, at ${by.since} with the token ${by.token}`;
  return new StoreError(
    'store/lost',
    `${who}. This host (token ${own.token}) had not renewed its lease in time. It writes and sends nothing more.`,
  );
}

function describe({ owner, pid, host, since, renewedAt }: Holder): string {
  return `${quoted(owner)}, process ${pid} on ${quoted(host)}, since ${since}, last renewed at ${renewedAt}`;
}

/** Names come from other hosts: line breaks are escaped and the length is limited. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
