import { excerpt } from './words.ts';

/** The email address in a text, also as it is spoken: "maria at example dot com". */
export function readEmail(text: string): string | undefined {
  const written = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/u.exec(
    excerpt(text),
  )?.[0];
  if (written !== undefined) return written;
  const spoken =
    /\b([\p{L}\p{N}_-]{1,40}(?: dot [\p{L}\p{N}_-]{1,40}){0,3}) at ([\p{L}\p{N}-]{1,40}(?: dot [\p{L}\p{N}]{2,20}){1,3})\b/iu.exec(
      text.slice(0, 300),
    );
  return spoken === null
    ? undefined
    : `${spoken[1]}@${spoken[2]}`.replaceAll(/ dot /giu, '.').toLowerCase();
}

/** The telephone number in a text, as it is written there. Shorter numbers are something else. */
export function readPhone(text: string): string | undefined {
  for (const [found] of excerpt(text).matchAll(/(?:\+|\(\+?)?\d[\d ()./-]{4,24}\d/gu)) {
    const digits = found.replace(/\D/gu, '').length;
    const isDate = /^\d{4}-\d{2}-\d{2}$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/u.test(found);
    if (digits >= 6 && digits <= 15 && !isDate) return found.trim();
  }
  return undefined;
}

/** The address of a page in a text. */
export function readUrl(text: string): string | undefined {
  const searched = excerpt(text);
  const found =
    /\bhttps?:\/\/\S{1,2000}/iu.exec(searched)?.[0] ??
    /(?<![@\p{L}\p{N}.-])(?:[\p{L}\p{N}-]{1,63}\.){1,5}\p{L}{2,20}(?:\/\S{0,500})?(?![@\p{L}\p{N}])/iu.exec(
      searched,
    )?.[0];
  return found?.replace(/[.,;:!?)]{1,9}$/u, '');
}
