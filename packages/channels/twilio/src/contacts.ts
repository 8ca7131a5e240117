import { telephoneNumber } from '@dramaturg/host/channel';

/**
 * The canonical form of a contact: a number, for WhatsApp with `whatsapp:` before it, or a short code, which belongs to no country.
 *
 * @throws RejectedError
 */
export function contactKey(written: string): string {
  const text = written.trim();
  if (/^\d{3,6}$/.test(text)) return text;
  const [prefix = ''] = /^whatsapp:/i.exec(text) ?? [];
  return prefix.toLowerCase() + telephoneNumber(text.slice(prefix.length));
}
