/** A file about the coverage of a definition: its tests, or a report that `dramaturg test --coverage --json` has written. */
export interface Evidence {
  readonly fileName: string;
  readonly text: string;
}

/** Whether a file has tests. */
export function isTests(fileName: string): boolean {
  return /\.test\.(?:ya?ml|json)$/i.test(fileName);
}

/** Whether a file is about the coverage of a definition, and is not a definition itself. */
export function isEvidence({ fileName, text }: Evidence): boolean {
  return isTests(fileName) || /^(?:TN|SF):/.test(text) || isReport(text);
}

function isReport(text: string): boolean {
  // A report has both fields on its first level. A definition has neither.
  if (!text.includes('"coverage"') || !text.includes('"passed"')) return false;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(Object(value).coverage) && Array.isArray(Object(value).files);
  } catch {
    return false;
  }
}
