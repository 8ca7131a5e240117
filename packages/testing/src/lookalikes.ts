/** An id with blanks before or after it. */
export function surrounded(id: string): readonly string[] {
  return [' ', '\t', '\u00a0', '\ufeff'].flatMap((blank) => [blank + id, id + blank]);
}

/**
 * Ids of other people that look like an id: in another case, with blanks, zeros, signs and prefixes, in other forms of Unicode,
 * and with an end beyond a limit of the length. The first one is the id itself.
 */
export function lookalikes(id: string): readonly string[] {
  const middle = Math.ceil(id.length / 2);
  const [head, tail] = [id.slice(0, middle), id.slice(middle)];
  const long = id.padEnd(990, 'x');
  const digits = id.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  return [
    ...new Set([
      id,
      id.toLowerCase(),
      id.toUpperCase(),
      head.toUpperCase() + tail.toLowerCase(),
      id.normalize('NFD'),
      id.normalize('NFC'),
      id.normalize('NFKC'),
      digits,
      ...surrounded(id),
      `\u200b${id}`,
      `${id}\u200b`,
      ...['-', '.', ' ', '/'].map((separator) => head + separator + tail),
      ...['0', '00', '+', '+0', '(', 'whatsapp:', 'tel:', 'sms:', 'mailto:'].map(
        (prefix) => prefix + id,
      ),
      ...[')', '.0', '.', '\u0301', ':0'].map((end) => id + end),
      `${long}1`,
      `${long}2`,
    ]),
  ];
}
