/** A file that says what is tested of a definition: its tests, or a report that `dramaturg test --coverage --json` has written. */
export interface Evidence {
  readonly fileName: string;
  readonly text: string;
}

/** Whether a file has tests. */
export function isTests(fileName: string): boolean {
  return /\.test\.(?:ya?ml|json)$/i.test(fileName);
}

/** Whether a file says what is tested of a definition, and is not one itself. */
export function isEvidence({ fileName, text }: Evidence): boolean {
  return isTests(fileName) || /^(?:TN|SF):/.test(text) || isReport(text);
}

function isReport(text: string): boolean {
  // A definition has no such fields: the report has both on its first level.
  if (!text.includes('"coverage"') || !text.includes('"passed"')) return false;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(Object(value).coverage) && Array.isArray(Object(value).files);
  } catch {
    return false;
  }
}
