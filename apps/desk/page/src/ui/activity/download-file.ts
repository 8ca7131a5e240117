/** Milliseconds after which a browser has begun to save. */
const savingMs = 10_000;

/** Has the browser save a file. A link to the service could not send the token. */
export function downloadFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), savingMs);
}
