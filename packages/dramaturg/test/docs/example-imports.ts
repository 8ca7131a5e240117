/** What examples use of other packages. */
const others: Readonly<Record<string, readonly string[]>> = {
  'node:fs/promises': ['mkdir', 'readFile', 'writeFile'],
  xstate: ['createActor', 'toPromise', 'waitFor'],
};

/**
 * The imports that an example needs, a line for each module.
 *
 * @param exported names by the entry that has them
 */
export function importsOf(
  code: string,
  exported: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return Object.entries({ ...exported, ...others }).flatMap(([from, names]) => {
    const used = names.filter((name) => uses(code, name));
    return used.length === 0 ? [] : [`import { ${used.join(', ')} } from '${from}';`];
  });
}

/** Whether code uses a name that it does not declare itself. */
function uses(code: string, name: string): boolean {
  const words = code.replaceAll(/\/\/.*$/gm, '');
  const declares = new RegExp(`\\b(?:const|let)\\s+(?:${name}\\b|[{[][^=]*\\b${name}\\b[^=]*=)`);
  return (
    new RegExp(`(?<!(?<!\\.\\.)\\.|[\\w'-])${name}(?![\\w'-]|:)`).test(words) &&
    !declares.test(words)
  );
}
