import { ChatError } from './chat-error.ts';

/**
 * Refuses requests of pages of other origins. The page of the chat is in a frame of its own, so its requests have its own origin, also
 * on the site of somebody else.
 *
 * @throws ChatError with the status 403
 */
export function requireOwnOrigin({ headers, url }: Request): void {
  const host = headers.get('host') ?? new URL(url).host;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  // The scheme is not compared: a proxy that ends TLS forwards requests of https pages as http.
  const isOwn = origin === null || origin === `https://${host}` || origin === `http://${host}`;
  if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return;
  throw new ChatError(403, 'chat/origin', 'Only the page of the chat may send this request.');
}
