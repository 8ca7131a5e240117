/** The text between `{%` and `%}`. */
export function sourceOf(expression: string): string {
  return expression.slice(2, -2).trim();
}
