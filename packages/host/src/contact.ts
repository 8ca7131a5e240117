import { RejectedError } from './channel/channel.ts';

/** A contact as a request writes it. */
export interface WrittenContact {
  readonly contact: string;
  /** The channel whose form of addresses the contact has. Without it, the contact is used unchanged. */
  readonly channel?: string | undefined;
}

/** Separators that people write inside a number. */
const separators = /[\s().-]/g;

/**
 * A telephone number in the form of E.164, which begins with the code of its country.
 *
 * @throws RejectedError for anything else, such as a number without a country
 *
 * @example
 * ```ts
 * console.log(telephoneNumber('+56 9 1234-5678')); // → +56912345678
 * ```
 */
export function telephoneNumber(written: string): string {
  const number = written.replace(separators, '');
  // "(0)" is dialled only inside the country.
  if (/^\+[1-9]\d{4,14}$/.test(number) && !written.includes('(0)')) return number;
  throw new RejectedError(
    `${shown(written)} is not a telephone number with the code of its country: write "+14155552671".`,
  );
}

/**
 * An email address with the letters A to Z in lower case, and its domain in the form of DNS. Quotes and comments are not
 * accepted: nobody uses them, and they hide other addresses. Spec: RFC 5321, section 2.4; RFC 5890
 *
 * @throws RejectedError for anything else
 *
 * @example
 * ```ts
 * console.log(emailAddress('Ada@Bücher.example')); // → ada@xn--bcher-kva.example
 * ```
 */
export function emailAddress(written: string): string {
  const [, local = '', domain = ''] = addressPattern.exec(written.slice(0, 400).trim()) ?? [];
  const name = domain && URL.parse(`http://${domain}`)?.hostname;
  // Other letters than A to Z are not folded: the Kelvin sign would become "k".
  const address = `${local.replace(/[A-Z]/g, (letter) => letter.toLowerCase())}@${name}`;
  if (name && written.length <= 400 && address.length <= 254) return address;
  throw new RejectedError(
    `${shown(written)} is not an address of e-mail: write "ada@example.org".`,
  );
}

/** The last label of the domain begins with a letter, so that the domain is not a number of IPv4. */
const addressPattern =
  /^([^\s@<>()",:;\\[\]]{1,64})@((?:[\p{L}\p{N}\p{M}-]+\.)*\p{L}[\p{L}\p{N}\p{M}-]*)$/u;

function shown(written: string): string {
  return JSON.stringify(written.slice(0, 100));
}
