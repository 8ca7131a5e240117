export { contactKey } from './contacts.ts';
export { telegramChannel, type TelegramOptions } from './telegram-channel.ts';
