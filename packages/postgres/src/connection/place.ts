import { badRequest } from '@dramaturg/host/store';
import type pg from 'pg';

/** The location of a store: a schema of a database. */
export class Place {
  readonly schema: string;
  /** For messages: the URL without the password. */
  readonly label: string;
  /** A private field, so that printing an object does not print the password. */
  readonly #url: URL;

  /** @throws `store/bad-request` */
  constructor(url: URL, schema: string) {
    this.schema = checkedSchema(schema);
    this.label = labelOf(url, schema);
    this.#url = url;
  }

  /** Another schema of the same database. */
  withSchema(schema: string): Place {
    return new Place(this.#url, schema);
  }

  /**
   * The options of the driver for a connection.
   *
   * @param purpose shown in the list of connections, `pg_stat_activity`
   */
  connection(purpose = ''): Pick<pg.ClientConfig, 'connectionString' | 'application_name'> {
    const application = `dramaturg ${this.schema} ${purpose}`.trimEnd();
    return { connectionString: this.#url.href, application_name: application };
  }
}

const defaultSchema = 'dramaturg';

/** The maximum length of a name in Postgres, in bytes. It cuts longer names without an error. */
const nameBytesMax = 63;

/**
 * Reads the URL of a store: `postgres://user:password@host:port/database?schema=tenant`. The parameter `schema` is for Dramaturg.
 * All others go to the driver.
 *
 * @param schema takes precedence over the parameter
 * @throws `store/bad-request`
 */
export function placeOf(url: string, schema?: string): Place {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['postgres:', 'postgresql:'].includes(parsed.protocol))
    throw badRequest(
      'The URL of the Postgres store is not valid. Write postgres://user:password@host:port/database.',
    );
  const name = schema ?? parsed.searchParams.get('schema') ?? defaultSchema;
  parsed.searchParams.delete('schema');
  return new Place(parsed, name);
}

/** @throws `store/bad-request` */
function checkedSchema(name: string): string {
  const isUsable = name !== '' && !name.includes('\0') && !name.startsWith('pg_');
  if (isUsable && Buffer.byteLength(name) <= nameBytesMax && !/\p{Surrogate}/u.test(name))
    return name;
  throw badRequest(
    `${JSON.stringify(name)} cannot be the name of a schema. Use 1 to ${nameBytesMax} bytes that do not begin with "pg_".`,
  );
}

/** Quotes a name for a SQL statement. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function labelOf({ username, host, pathname }: URL, schema: string): string {
  const user = username === '' ? '' : `${username}@`;
  return `postgres://${user}${host}${pathname}?schema=${encodeURIComponent(schema)}`;
}
