/** The chat of a contact: the id of a private chat or a group. Undefined when the contact is not one of Telegram. */
export function chatOf(contact: string | null): string | undefined {
  return /^(?:telegram:)?(-?\d{1,20})$/i.exec(contact?.trim() ?? '')?.[1];
}

export function contactOf(chat: number): string {
  return `telegram:${chat}`;
}
