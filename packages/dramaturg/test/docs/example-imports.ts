/** The entry whose examples use formats alone. */
export const compilerEntry = '@dramaturg/compiler';

/** What examples use of other packages. */
const others: Readonly<Record<string, readonly string[]>> = {
  '@dramaturg/asl': ['asl'],
  '@dramaturg/plan': ['plan'],
  'node:fs/promises': ['mkdir', 'readFile', 'writeFile'],
  xstate: ['createActor', 'toPromise', 'waitFor'],
};

/**
 * The imports that an example needs, a line for each module.
 *
 * @param entry whose example it is: what it exports is imported from there
 * @param exported names by the entry that has them
 */
export function importsOf(
  code: string,
  entry: string,
  exported: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const { [compilerEntry]: ofCompiler = [], ...ofDramaturg } = exported;
  const own = entry === compilerEntry ? { [compilerEntry]: ofCompiler } : {};
  const isOwn = (name: string) => entry === compilerEntry && ofCompiler.includes(name);
  const rest = Object.entries({ ...ofDramaturg, ...others }).map(
    ([from, names]) => [from, names.filter((name) => !isOwn(name))] as const,
  );
  return [...Object.entries(own), ...rest].flatMap(([from, names]) => {
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
