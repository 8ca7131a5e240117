export { emailAddress as contactKey } from '@dramaturg/host/channel';
export { emailChannel, type EmailOptions } from './email-channel.ts';
