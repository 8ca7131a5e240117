/**
 * A contact's address as it is compared: `+56 9 1234 5678`, `0056 9 1234-5678` and `56912345678` are one. What is no
 * telephone number is compared as it is written, but for capitals and space around it.
 */
export function contactKey(written: string): string {
  const text = written.trim();
  const digits = text.replace(/\D/g, '');
  if (digits === '' || !/^\+?[\d\s().-]+$/.test(text)) return text.toLowerCase();
  return `+${text.startsWith('+') ? digits : digits.replace(/^00/, '')}`;
}
