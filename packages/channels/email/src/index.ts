export { emailAddress as contactKey } from '@dramaturg/host/channel';
export { emailChannel, type EmailOptions } from './email-channel.ts';
export type { SenderPolicy } from './handle-record.ts';
