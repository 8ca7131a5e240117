/** A value from a machine or an agent, if it is a string; an empty string otherwise. */
export function optionalText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
