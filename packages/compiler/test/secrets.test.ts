import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { PortError } from '../src/index.ts';
import {
  protectHeaders,
  protectSecret,
  protectSecretsIn,
  withoutSecrets,
  errorWithoutSecrets,
} from '../src/entries/secrets.ts';

const variable = 'SECRETS_TEST_API_KEY';

afterEach(() => {
  delete process.env[variable];
});

/** Text that looks like a generated key, in characters that each form of it writes in another way. */
const characters = Array.from(
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/="\\ é_-.',
);
// Not `fc.string`, which likes names such as `propertyIsEnumerable`: they are in errors of other tests of this process.
const secret = fc
  .array(fc.constantFrom(...characters), { minLength: 16, maxLength: 120 })
  .map((chosen) => chosen.join(''))
  .filter((text) => text.trim() === text && new Set(text).size > 10);

const forms: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (given) => given,
  'URL-encoded': (given) => encodeURIComponent(given),
  'URL-encoded in small letters': (given) =>
    encodeURIComponent(given).replace(/%../g, (code) => code.toLowerCase()),
  'in JSON': (given) => JSON.stringify({ given }),
  'in JSON in JSON': (given) => JSON.stringify({ body: JSON.stringify({ given }) }),
  'in base64': (given) => Buffer.from(given).toString('base64'),
  'in base64 for URLs': (given) => Buffer.from(given).toString('base64url'),
  'as a password in base64': (given) => Buffer.from(`user:${given}`).toString('base64'),
  'as a longer password in base64': (given) => Buffer.from(`a user:${given}!`).toString('base64'),
  'in hexadecimal digits': (given) => Buffer.from(given).toString('hex'),
};

test.each(Object.entries(forms))('a known secret is replaced %s', (_, form) => {
  fc.assert(
    fc.property(secret, fc.lorem(), fc.lorem(), (given, before, after) => {
      protectSecret(given);
      const written = form(given);
      expect(piecesIn(withoutSecrets(`${before} ${written} ${after}`), form, given)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('a known secret that is cut off is replaced, at whichever end it is cut', () => {
  fc.assert(
    fc.property(secret, fc.nat(), fc.boolean(), (given, cut, atTheEnd) => {
      protectSecret(given);
      const length = 8 + (cut % (given.length - 8));
      const piece = atTheEnd ? given.slice(0, length) : given.slice(-length);
      expect(withoutSecrets(`refused: <${piece}…`)).toBe('refused: <[redacted]…');
    }),
    { numRuns: 60 },
  );
});

test('a secret that consists of words is replaced whole or from half of it on, and its words alone stay', () => {
  protectSecret('correct-horse.battery_staple');
  expect(withoutSecrets('refused: correct-horse.battery_staple')).toBe('refused: [redacted]');
  expect(withoutSecrets('refused: correct-horse.')).toBe('refused: [redacted]');
  const ordinary = 'Set --correct-horse and --battery.';
  expect(withoutSecrets(ordinary)).toBe(ordinary);
});

test('a short word given as a secret is a placeholder and stays in texts', () => {
  protectSecretsIn({ apiKey: 'none' });
  expect(withoutSecrets('There are none.')).toBe('There are none.');
});

test('a variable of the environment whose name says that it is secret is known, from the moment when it is set', () => {
  // Without a word, so that no secret of another test of this process shares eight characters with it.
  const key = 'q7RtY2vXk4Hs8Lw9';
  expect(withoutSecrets(`refused ${key}`)).toBe(`refused ${key}`);
  process.env[variable] = key;
  expect(withoutSecrets(`refused ${key}`)).toBe('refused [redacted]');
  process.env[variable] = `postgres://me:${key}@localhost/desk`;
  expect(withoutSecrets(`refused ${key}`)).toBe('refused [redacted]');
});

test('the keys in options and the headers of a client are known', () => {
  protectSecretsIn({
    temperature: 1,
    apiKey: 'Zx81-one-Qq',
    configuration: { defaultHeaders: { 'x-team': 'Zx82-two-Qq' } },
  });
  protectHeaders({
    authorization: `Basic ${btoa('me:Zx83-three-Qq')}`,
    accept: 'application/json',
  });
  expect(withoutSecrets('Zx81-one-Qq Zx82-two-Qq Zx83-three-Qq application/json')).toBe(
    '[redacted] [redacted] [redacted] application/json',
  );
});

test.each([
  ['Authorization: Bearer abc123def456', 'Authorization: Bearer [redacted]'],
  ['{"authorization":"Bearer abc123def456"}', '{"authorization":"Bearer [redacted]"}'],
  [String.raw`{\"x-api-key\": \"abc123def456\"}`, String.raw`{\"x-api-key\": \"[redacted]\"}`],
  [`Basic ${btoa('me:secret')} was refused`, 'Basic [redacted] was refused'],
  ['Incorrect API key provided: sk-proj-1234*****6789.', 'Incorrect API key provided: [redacted]'],
  [
    'GET https://api.example.com/v1?api_key=abc123def&page=2',
    'GET https://api.example.com/v1?api_key=[redacted]&page=2',
  ],
  ['GET https://api.example.com/v1?key=abc123def', 'GET https://api.example.com/v1?key=[redacted]'],
  ['https://me:pass@example.com/path', 'https://[redacted]@example.com/path'],
  ['postgres://app:pass@db.example.com/app', 'postgres://[redacted]@db.example.com/app'],
  ['https://pass@example.com/path', 'https://[redacted]@example.com/path'],
  ['token eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc-def', 'token [redacted]'],
  ['ghp_abcdefghijklmnop and AKIAABCDEFGHIJKLMNOP', '[redacted] and [redacted]'],
  ['The token is dmt_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG.', 'The token is [redacted]'],
])('what has the form of a secret is replaced: %s', (text, expected) => {
  expect(withoutSecrets(text)).toBe(expected);
});

test.each([
  'The server does not accept the key: check OPENAI_API_KEY and what the key is allowed to use.',
  'Bearer authentication is required. Basic authentication is not supported.',
  'Set the environment variable OPENAI_API_KEY, or pass modelOptions: { apiKey }.',
  'password: required',
  'Expected a token, found "}" at 3:14.',
  'Run: dramaturg copy store postgres://app@db.example.com/app?schema=a postgresql://app@[::1]/b',
  'See https://example.com/docs?page=2#keys and mail ada@example.com.',
  'The call "order-1/pac454m8" took 1234567 tokens.',
])('a text without a secret stays as it is: %s', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

test("an error keeps its class and loses its secrets, in fields, causes, stack and clients' objects", () => {
  const key = 'Kd0-planted-in-an-error-9Zz';
  protectSecret(key);
  class RefusedError extends TypeError {
    readonly status = 401;
    readonly apiKey = 'anything';
    readonly response = new Response(key);
    readonly body = { error: { message: `no: ${key}` }, list: [key, 1] };
  }
  const inner = new RefusedError(`Refused ${key}`, { cause: `because of ${key}` });
  const circle = new AggregateError([inner, key], 'several');
  inner.cause = circle;
  const error = errorWithoutSecrets(circle) as AggregateError;

  const [refused] = error.errors as [RefusedError];
  expect(refused).toBeInstanceOf(RefusedError);
  expect(refused).toMatchObject({
    message: 'Refused [redacted]',
    status: 401,
    apiKey: '[redacted]',
    response: '[Response]',
    body: { error: { message: 'no: [redacted]' }, list: ['[redacted]', 1] },
  });
  expect(refused.cause).toBe(error);
  expect(inner.message).toContain(key);
});

test('an error without a secret is the same object', () => {
  const error = new Error('no', { cause: Object.assign(new Error('why'), { code: 'E_WHY' }) });
  expect(errorWithoutSecrets(error)).toBe(error);
  const aborted = new DOMException('stopped', 'AbortError');
  expect(errorWithoutSecrets(aborted)).toBe(aborted);
});

test('errors of Dramaturg have no secrets in their message and cause', () => {
  const key = 'Kd1-planted-in-a-cause-9Zz';
  protectSecret(key);
  const cause = new DOMException(`stopped ${key}`, 'AbortError');
  const error = new PortError('port/failed', 'reply', `It failed: ${key}`, { cause });
  expect(error).toMatchObject({
    message: 'It failed: [redacted]',
    cause: { name: 'AbortError', message: 'stopped [redacted]' },
  });
  expect(error.stack).not.toContain(key);
  expect((error.cause as Error).stack).not.toContain(key);
});

/** The runs of 16 characters of a written secret that a text still has. */
function piecesIn(text: string, form: (secret: string) => string, given: string): string[] {
  const written = form(given);
  return [given, written].flatMap((each) =>
    Array.from({ length: Math.max(0, each.length - 15) }, (_, at) =>
      each.slice(at, at + 16),
    ).filter((piece) => isOfTheSecret(piece, given) && text.includes(piece)),
  );
}

/** JSON has names around the secret, which stay. */
function isOfTheSecret(piece: string, given: string): boolean {
  return given.includes(piece) || !/given|body/.test(piece);
}

test('a key with a part that is a secret itself is replaced whole', () => {
  protectSecret('part-of-another-one');
  expect(withoutSecrets('The key sk-1234part-of-another-one5678 was refused.')).toBe(
    'The key [redacted] was refused.',
  );
});
