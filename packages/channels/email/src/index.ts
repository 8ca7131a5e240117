export { emailChannel, type EmailOptions } from './email-channel.ts';
