/** The placeholders of a persona's lines. */
export const placeholders: readonly string[] = ['answer', 'label', 'second'];

const placeholder = /\{(\w+)\}/g;

/** Puts values into a line. The end of a sentence is written once. */
export function fillLine(line: string, values: Readonly<Record<string, string>>): string {
  return line
    .replaceAll(placeholder, (whole, name: string) =>
      Object.hasOwn(values, name) ? values[name]! : whole,
    )
    .replaceAll(/([.!?])\.(?!\.)/g, '$1')
    .replaceAll(/[.!]([,;])/g, '$1')
    .trim();
}

/** Names in braces that are no placeholders. */
export function unknownPlaceholders(line: string): readonly string[] {
  return [...line.matchAll(placeholder)].flatMap(([, name = '']) =>
    placeholders.includes(name) ? [] : [name],
  );
}
