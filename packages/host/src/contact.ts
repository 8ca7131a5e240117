/**
 * The canonical form of a contact: `+56 9 1234 5678`, `0056 9 1234-5678` and `56912345678` are the same contact. Addresses
 * that are not telephone numbers are compared without case and surrounding space.
 */
export function contactKey(contact: string): string {
  const text = contact.trim();
  const digits = text.replace(/\D/g, '');
  if (digits === '' || !/^\+?[\d\s().-]+$/.test(text)) return text.toLowerCase();
  return `+${text.startsWith('+') ? digits : digits.replace(/^00/, '')}`;
}
