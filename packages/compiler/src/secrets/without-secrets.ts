import { type Fragments, redacted } from './fragments.ts';
import { knownFragments } from './known-secrets.ts';
import { secretFieldEnding } from './secret-names.ts';

/**
 * Replaces secrets in a text by `[redacted]`: secrets that the process knows, and everything in the form of a secret, such as the
 * credentials of an `Authorization` header, `sk-…` and the password in a URL.
 */
export function withoutSecrets(text: string): string {
  return withoutFragments(text, knownFragments());
}

/** As `withoutSecrets`, for many texts: `knownFragments` reads the environment, which takes longer than most texts. */
export function withoutFragments(text: string, known: Fragments): string {
  // Forms first: replacing a known secret inside a longer one would leave the rest of the longer one.
  let result = text;
  for (const [shape, replacement] of shapes) result = result.replace(shape, replacement);
  result = result.replace(basic, (whole, scheme: string, credentials: string) =>
    hasPassword(credentials) ? `${scheme} ${redacted}` : whole,
  );
  return known.replace(result);
}

/** A value with a digit, or a long one: "Bearer authentication" and "password: required" are not secrets. */
const value = String.raw`(?=[^\s"'\\&,;<>]*\d|[^\s"'\\&,;<>]{20})[^\s"'\\&,;<>[\]]{6,}`;

/** `name=value`, `name: value`, `"name": "value"`, with or without the scheme of an authorization. */
const field = String.raw`((?:${secretFieldEnding})["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}(?:(?:bearer|basic|token)\s{1,3})?)${value}`;

/** Each begins with fixed characters and repeats without alternatives, so that hostile texts take linear time. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?/g, redacted],
  // Printed commands contain the user of Postgres, which is public without a password.
  [
    /(?!(?<=postgres(?:ql)?):\/\/[^\s/?#@:"'<>]{1,512}@):\/\/[^\s/?#@"'<>]{1,512}@/g,
    `://${redacted}@`,
  ],
  [new RegExp(String.raw`\b(bearer)\s{1,3}${value}`, 'gi'), `$1 ${redacted}`],
  [new RegExp(field, 'gi'), `$1${redacted}`],
  [new RegExp(String.raw`([?&](?:key|sig|signature)=)${value}`, 'gi'), `$1${redacted}`],
  [
    /(?<![\w-])(?:(?:sk|pk|rk)[-_]|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|gsk_|hf_|npm_|lsv2_|dmt_|AKIA|ASIA|AIza|ya29\.)[\w*.…-]{8,}/g,
    redacted,
  ],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g, redacted],
];

const basic = /\b(basic)\s{1,3}([A-Za-z0-9+/]{8,}={0,2})/gi;

function hasPassword(credentials: string): boolean {
  try {
    return atob(credentials).includes(':');
  } catch {
    return false;
  }
}
