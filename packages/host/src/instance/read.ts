/** What machines and agents have given, as a text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
