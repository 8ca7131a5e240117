import { createHash, randomBytes } from 'node:crypto';
import { isRecord, type Path } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import { checkShape, unknownFields } from '@dramaturg/compiler/shapes';
import { printPath } from '@dramaturg/compiler/text';
import * as z from 'zod';
import { RequestError } from '../failure.ts';
import { nameSchema, scopeSchema, tenantSchema } from './principal.ts';

const limit = z.number().int().min(1).optional();

const entrySchema = z.object({
  /** Unique. The holder acts under this name, and the token is revoked by it. */
  name: nameSchema,
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'the SHA-256 hash of a token: 64 hexadecimal digits in lower case'),
  scopes: z.array(scopeSchema).min(1),
  roles: z.array(nameSchema).optional(),
  tenant: tenantSchema.optional(),
  expires_at: z.iso
    .datetime({ offset: true, error: 'a time such as "2027-03-02T09:30:00Z"' })
    .optional(),
  requests_per_minute: limit,
  streams: limit,
});

/** One token in a file: its hash, and what its holder may do. */
export type TokenEntry = z.output<typeof entrySchema>;

/** Maximum number of tokens. More belong in a database, with an `authenticate` function. */
const tokensMax = 1_000;

const fileSchema = z.object({ tokens: z.array(entrySchema).max(tokensMax) });

/** The longest file, in UTF-16 units. */
const longestFile = 1_000_000;

interface Finding {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly path: Path;
}

/**
 * Reads the entries in the text of a token file.
 *
 * @throws TokensError `access/tokens-invalid` with the mistakes and their lines and columns
 */
export function readTokensText(text: string, file: string): readonly TokenEntry[] {
  const source = read(text, { language: 'json', maxLength: longestFile });
  const syntax = source.diagnostics.map(
    ({ range, message }) => `${placeOf(range.start)} ${message}`,
  );
  if (syntax.length > 0) throw invalid(file, syntax);
  const { value } = source;
  const findings = [...shapeFindings(value), ...repeatedIn(value)];
  if (findings.length > 0) {
    const placed = findings
      .map((finding) => ({ finding, start: source.locate(finding.path).start }))
      .toSorted((one, other) => one.start.offset - other.start.offset);
    throw invalid(
      file,
      placed.map(({ finding: { message, hint, path }, start }) => {
        const what = path.length > 0 ? [`${printPath(path)}:`] : [];
        return [placeOf(start), ...what, message, hint].filter(Boolean).join(' ');
      }),
    );
  }
  return fileSchema.parse(value).tokens;
}

/** A position as compilers write it: the name of the file comes before it. */
function placeOf({ line, column }: { line: number; column: number }): string {
  return `${line}:${column}`;
}

/** Maximum number of mistakes in a message. */
const namedMax = 5;

function invalid(file: string, mistakes: readonly string[]): TokensError {
  const rest = mistakes.length > namedMax ? [`${mistakes.length - namedMax} more.`] : [];
  const named = [...mistakes.slice(0, namedMax), ...rest].join(' ');
  return new TokensError('access/tokens-invalid', `The tokens in "${file}" are invalid: ${named}`, {
    hint: 'The numbers are lines and columns of the file.',
  });
}

function shapeFindings(value: unknown): readonly Finding[] {
  const findings: Finding[] = [];
  checkShape(value, fileSchema, ({ message, hint }, path) => {
    findings.push({ message, hint: typeof hint === 'function' ? hint() : hint, path });
  });
  const reported = new Set(findings.map(({ path }) => printPath(path)));
  return [...findings, ...unknownIn(value).filter(({ path }) => !reported.has(printPath(path)))];
}

/** Unknown fields are errors: a misspelt `expires_at` would never expire. */
function unknownIn(value: unknown): readonly Finding[] {
  if (!isRecord(value)) return [];
  const tokens = Array.isArray(value['tokens']) ? value['tokens'] : [];
  return [
    ...unknownFieldsOf(value, Object.keys(fileSchema.shape), []),
    ...tokens
      .slice(0, tokensMax)
      .flatMap((entry: unknown, index) =>
        isRecord(entry)
          ? unknownFieldsOf(entry, Object.keys(entrySchema.shape), ['tokens', index])
          : [],
      ),
  ];
}

function unknownFieldsOf(value: object, known: readonly string[], path: Path): readonly Finding[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      message: unknownFields({ [name]: null }, known).join(' '),
      path: [...path, name],
    }));
}

function repeatedIn(value: unknown): readonly Finding[] {
  const { success, data } = fileSchema.safeParse(value);
  if (!success) return [];
  return data.tokens.flatMap((entry, index) =>
    (['name', 'sha256'] as const).flatMap((field) => {
      const first = data.tokens.findIndex((other) => other[field] === entry[field]);
      if (first === index) return [];
      const message = `tokens[${first}] has the same ${field}.`;
      return [{ message, path: ['tokens', index, field] }];
    }),
  );
}

export type TokensErrorCode =
  | 'access/tokens-unreadable'
  | 'access/tokens-invalid'
  | 'access/tokens-writable'
  | 'access/tokens-busy'
  | 'access/token-exists'
  | 'access/token-unknown';

/** A token file cannot be used or changed. For an invalid file, the message lists the mistakes with their positions. */
export class TokensError extends RequestError<TokensErrorCode> {
  override readonly name = 'TokensError';
}

/** Lets secret scanners recognise a token. Their regular expression: `dmt_[A-Za-z0-9_-]{43}` */
const prefix = 'dmt_';

/** A new token of 256 random bits. */
export function createToken(): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/**
 * The SHA-256 hash of a token. A slow hash such as bcrypt is for passwords: 256 random bits cannot be guessed from a hash.
 */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
