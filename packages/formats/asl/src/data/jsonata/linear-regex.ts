import { RE2JS } from 're2js';

/**
 * Patterns that match in linear time: patterns of JavaScript can hang the process (ReDoS). Lookarounds and
 * backreferences are not supported.
 */
export class LinearRegex {
  lastIndex = 0;
  readonly #pattern: RE2JS;

  /** @throws Error when the pattern cannot be matched in linear time */
  constructor(pattern: Pick<RegExp, 'source' | 'ignoreCase' | 'multiline'>) {
    const flags =
      (pattern.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (pattern.multiline ? RE2JS.MULTILINE : 0);
    this.#pattern = RE2JS.compile(RE2JS.translateRegExp(pattern.source), flags);
  }

  /** Like `RegExp.prototype.exec` with the flag `g`. */
  exec(text: string): (string[] & { index: number }) | null {
    const matcher = this.#pattern.matcher(text);
    if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
      this.lastIndex = 0;
      return null;
    }
    this.lastIndex = matcher.end();
    const groups = Array.from(
      { length: matcher.groupCount() + 1 },
      (_, group) => matcher.group(group) ?? '',
    );
    return Object.assign(groups, { index: matcher.start() });
  }
}
