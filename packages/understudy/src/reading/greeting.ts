const greetingWords = new Set(
  'hi hello hey hiya howdy greetings hallo good morning afternoon evening day there all everyone again to you'.split(
    ' ',
  ),
);

/** Whether the text is only a greeting. */
export function isGreeting(text: string): boolean {
  if (text.length > 60) return false;
  const words = text
    .toLowerCase()
    .split(/[\s,.!]+/u)
    .filter((word) => word !== '');
  const greets =
    /^(?:hi|hello|hey|hiya|howdy|greetings|hallo|good (?:morning|afternoon|evening|day))\b/u.test(
      words.join(' '),
    );
  return greets && words.every((word) => greetingWords.has(word));
}

const greeting =
  /^(?:hi|hello|hey|hiya|howdy|greetings|hallo|good (?:morning|afternoon|evening|day))(?: (?:there|again|all|everyone))?\s?[,.!]\s*(?=\S)/iu;

/** Removes a greeting that ends with punctuation, so that "Hello Kitty" stays whole. */
export function withoutGreeting(text: string): string {
  return text.replace(greeting, '');
}
