import { visible } from '@dramaturg/compiler/text';
import type * as ServiceModule from '@dramaturg/service';
import { Argument } from 'commander';
import { type Command, command } from '../command.ts';
import { collect } from '../host/host-options.ts';
import { writeTable } from '../host/print/table.ts';
import { outputTo, jsonText, jsonLine } from '../output.ts';
import { exitCodes, UsageError } from '../usage-error.ts';

interface TokenOptions {
  readonly file: string;
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly role?: readonly string[];
  readonly tenant?: string;
  readonly expires?: string;
  readonly json?: true;
}

type Service = typeof ServiceModule;
type Action = 'create' | 'list' | 'revoke';

export function tokenCommand(): Command {
  return command('token')
    .json()
    .description(
      'Creates, lists and revokes the tokens of a service. The file has their hashes; a token itself is printed once. A running service reads the file again within a second.',
    )
    .addArgument(
      new Argument('<action>', 'what to do').choices([
        'create',
        'list',
        'revoke',
      ] satisfies Action[]),
    )
    .argument('[token]', 'for revoke: the name of the token')
    .option('--file <file>', 'the file of the tokens', 'tokens.json')
    .option('--name <name>', 'for create: its name, under which its holder acts')
    .option(
      '--scope <scope>',
      'for create: read, converse, operate, define or admin, which covers all; may be repeated',
      collect,
    )
    .option(
      '--role <role>',
      'for create: a role of its holder in decisions; may be repeated',
      collect,
    )
    .option('--tenant <name>', 'for create: the only tenant that it reaches')
    .option(
      '--expires <when>',
      'for create: after a time such as 90d or 12h, or at 2027-03-02T09:30:00Z',
    )
    .examples(
      'dramaturg token create --name desk --scope read --scope operate --expires 90d',
      'dramaturg token list --file tokens.json',
      'dramaturg token revoke desk',
    )
    .action(async (action: Action, token: string | undefined, options: TokenOptions) => {
      requireMeaning(action, token, options);
      // Loaded here because it is slow to load and no other command needs it.
      const service = await import('@dramaturg/service');
      try {
        if (action === 'create') await create(service, options);
        else if (action === 'list') await list(service, options);
        else await revoke(service, token, options);
      } catch (error) {
        if (!(error instanceof service.TokensError)) throw error;
        throw new UsageError(error.message, error.hint, exitCodes.usage, error.code);
      }
    });
}

/** Refuses options that have no effect for the action: the caller expects another result. */
function requireMeaning(
  action: Action,
  token: string | undefined,
  { name, scope, role, tenant, expires }: TokenOptions,
): void {
  const given = Object.entries({ name, scope, role, tenant, expires }).find(
    ([, value]) => value !== undefined,
  );
  if (given && action !== 'create')
    throw new UsageError(
      `--${given[0]} is for "dramaturg token create".`,
      `Leave out --${given[0]}.`,
    );
  if (token !== undefined && action !== 'revoke')
    throw new UsageError(
      `"${visible(token)}" has no meaning here.`,
      action === 'create' ? `Write --name ${visible(token)}` : 'Leave it out.',
    );
}

async function create({ addToken }: Service, options: TokenOptions): Promise<void> {
  const { file, name, scope, role, tenant, expires } = options;
  if (name === undefined)
    throw new UsageError('A token needs a name.', 'Add a name, such as: --name desk');
  if (!scope)
    throw new UsageError(
      'A token needs a scope.',
      'Add at least one: --scope read, converse, operate, define or admin',
    );
  const entry = {
    name,
    scopes: [...new Set(scope)] as Parameters<Service['addToken']>[1]['scopes'],
    ...(role && { roles: [...new Set(role)] }),
    ...(tenant !== undefined && { tenant }),
    ...(expires !== undefined && { expires_at: readExpiry(expires, Date.now()) }),
  };
  const token = await addToken(file, entry);
  const { write } = outputTo(process.stdout);
  if (options.json) {
    write(jsonLine({ token, ...entry }));
    return;
  }
  // Alone on standard output, so that a script can store it.
  write(`${token}\n`);
  const { write: note, paint } = outputTo(process.stderr);
  note(
    `${paint('green', '✓')} The token "${visible(name)}" is valid now. It is shown only here: "${visible(file)}" has its hash.\n`,
  );
}

async function list({ listTokens }: Service, { file, json }: TokenOptions): Promise<void> {
  const output = outputTo(process.stdout);
  const tokens = (await listTokens(file)).map(({ sha256: _hash, ...shown }) => shown);
  if (json) {
    output.write(jsonText({ tokens }));
    return;
  }
  if (tokens.length === 0) {
    output.write(`"${visible(file)}" has no tokens.\n`);
    return;
  }
  const now = Date.now();
  const expiry = ({ expires_at: at }: (typeof tokens)[number]) =>
    at === undefined ? 'never' : `${Date.parse(at) <= now ? 'expired ' : ''}${at}`;
  writeTable(
    output,
    [
      { title: 'NAME', least: 8, text: ({ name }) => name },
      { title: 'SCOPES', least: 8, text: ({ scopes }) => scopes.join(' ') },
      { title: 'TENANT', least: 6, text: ({ tenant = '-' }) => tenant },
      { title: 'ROLES', least: 6, text: ({ roles = [] }) => roles.join(', ') || '-' },
      { title: 'EXPIRES', least: 8, text: expiry },
    ],
    tokens,
  );
}

async function revoke(
  { revokeToken }: Service,
  token: string | undefined,
  { file, json }: TokenOptions,
): Promise<void> {
  if (token === undefined)
    throw new UsageError(
      'The name of the token is missing.',
      `"dramaturg token list --file ${visible(file)}" lists the tokens.`,
    );
  await revokeToken(file, token);
  const { write, paint } = outputTo(process.stdout);
  if (json) write(jsonLine({ revoked: token }));
  else write(`${paint('green', '✓')} The token "${visible(token)}" is revoked.\n`);
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A century in milliseconds. Later times are mistakes. */
const longest = 100 * 365 * 86_400_000;

/**
 * The time at which a token expires, in ISO 8601.
 *
 * @param given `90d`, `12h` or `30m` from now, or a time with its zone
 * @throws UsageError for other strings, and for a time in the past
 */
export function readExpiry(given: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,9})([mhd])$/.exec(given) ?? [];
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(given);
  const at = isTime ? Date.parse(given) : now + Number(count) * (units[unit] ?? Number.NaN);
  if (at > now && at - now <= longest) return new Date(at).toISOString();
  throw new UsageError(
    Number.isNaN(at)
      ? `"${visible(given)}" is not a time.`
      : `"${visible(given)}" is over, or more than a century away.`,
    'Write how long the token is valid, such as 90d, 12h or 30m, or a time such as 2027-03-02T09:30:00Z.',
  );
}
