/**
 * `${name}`: a value that a deployment tool fills in, such as CloudFormation, the serverless framework or Terraform. The name
 * may be a path or a call: `${Orders.Arn}`, `${file(./a.json)}`. `$` before an object of JSONata is not a placeholder.
 */
const placeholder = /\$\{([A-Za-z_](?:[^{}"\n:]|:(?! ))*)\}/;
const everyPlaceholder = new RegExp(placeholder, 'g');
const wholePlaceholder = new RegExp(`^${placeholder.source}$`);

export function hasPlaceholder(text: string): boolean {
  return text.includes('${') && placeholder.test(text);
}

/** The names in a string, in order. */
export function placeholderNames(text: string): string[] {
  return Array.from(text.matchAll(everyPlaceholder), ([, name]) => name!.trim());
}

/** The name of a string that is one placeholder and nothing else. */
export function wholePlaceholderName(text: string): string | undefined {
  return wholePlaceholder.exec(text)?.[1]?.trim();
}

/** Replaces the placeholders that have a value; `valueOf` gives undefined for others. */
export function replacePlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  return text.replace(everyPlaceholder, (all, name: string) => valueOf(name.trim()) ?? all);
}

/** The end of a placeholder that begins at an offset; undefined when none does. */
export function placeholderEnd(text: string, offset: number): number | undefined {
  // Nobody writes longer names, and the limit keeps the search short in hostile input.
  const found = /^\$\{[A-Za-z_][^{}\n]{0,400}\}/.exec(text.slice(offset, offset + 404));
  return found ? offset + found[0].length : undefined;
}
