const secretWords = [
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'passphrase',
  'passwd',
  'password',
  'secret',
  'token',
];
const secretKeys = ['access', 'account', 'api', 'auth', 'private', 'secret', 'signing'];

/** The last words of the names of secret fields and headers, as a part of a regular expression. */
export const secretFieldEnding = [...secretWords, `(?:${secretKeys.join('|')})[_-]?key`].join('|');

const field = new RegExp(`(?:^|_)(?:${secretFieldEnding})$`, 'i');

/**
 * Whether a field, a header or a parameter with the name holds a secret: `apiKey`, `x-api-key`, `access_token`,
 * `Authorization`, `set-cookie`. A `key` alone is an idempotency key here.
 */
export function isSecretField(name: string): boolean {
  return field.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_'));
}

const variable =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|AUTH|COOKIE)_?\d*$/i;
const publicVariable = /(?:PUBLIC|PRIMARY|CACHE|SORT)_KEY$/i;

/** Whether an environment variable with the name holds a secret. */
export function isSecretVariable(name: string): boolean {
  return variable.test(name) && !publicVariable.test(name);
}
