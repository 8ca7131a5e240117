export { contactKey } from './contacts.ts';
export { twilioChannel, type TwilioOptions } from './twilio-channel.ts';
