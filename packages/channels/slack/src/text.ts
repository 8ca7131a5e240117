/** Escaping of Slack's control characters. Spec: Slack, "Formatting message text", "Escaping text" */

const escapes: readonly (readonly [string, string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
];

/** Escapes a text, so that nothing in it is a mention, a link or a command. */
export function escaped(text: string): string {
  return escapes.reduce((done, [from, to]) => done.replaceAll(from, to), text);
}

export function unescaped(text: string): string {
  return escapes.toReversed().reduce((done, [from, to]) => done.replaceAll(to, from), text);
}

/** Removes the mention of the app at the beginning of a person's message. */
export function withoutMention(text: string, app: string | undefined): string {
  if (app === undefined) return text;
  const mention = `<@${app}>`;
  return text.startsWith(mention) ? text.slice(mention.length).trimStart() : text;
}
