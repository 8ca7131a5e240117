/** The time in all views, in milliseconds since 1970 UTC. */
export const moment = Date.UTC(2026, 2, 3, 9, 30);

/** A module that sets the clock of a command to a time and its terminal to a width. Use it with `--import`. */
export function preloadAt(time: number, columns: number): string {
  const source = `const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) { super(...(args.length > 0 ? args : [${time}])); }
  static now() { return ${time}; }
};
process.stdout.columns = ${columns};`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
