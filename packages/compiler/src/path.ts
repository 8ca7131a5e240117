/** A place in a definition as authored: the keys and indexes that lead to it. */
export type Path = readonly (string | number)[];

/** `['states', 0, 'tasks']` is `states[0].tasks`; a key with other characters than a word is quoted. */
export function printPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Orders paths as a reader meets them when positions are equal or unknown. */
export function comparePaths(a: Path, b: Path): number {
  return printPath(a).localeCompare(printPath(b), 'en', { numeric: true });
}
