import { RejectedError } from '@dramaturg/host';

/** The chat of a contact: the id of a private chat or a group. */
export function chatOf(contact: string | null): string {
  const chat = /^(?:telegram:)?(-?[1-9]\d{0,19})$/i.exec(contact?.trim() ?? '')?.[1];
  if (chat !== undefined) return chat;
  throw new RejectedError('The contact is not a chat of Telegram: write "telegram:12345".');
}

export function contactOf(chat: number | string): string {
  return `telegram:${chat}`;
}

/** The canonical form of a contact. @throws RejectedError */
export function contactKey(written: string): string {
  return contactOf(chatOf(written));
}
