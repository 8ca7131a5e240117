/** The lifecycle of the clinic's conversations: reminders on working days, in the time zone of the contact, and words that act at once. */
import { compile, conversationLifecycle } from 'dramaturg';

const policies = {
  ...conversationLifecycle.policies,
  time_zone: 'Europe/Berlin',
  quiet_hours: { from: '21:00', to: '08:00' },
  calendar: { from: '08:00', to: '18:00', holidays: ['2026-01-06'] },
  reminders: [
    { after: '2h' },
    { after: '1 working day at 09:00', text: 'We are still here for your appointment.' },
  ],
  words: {
    en: {
      stop: ['no more'],
      person: ['a person'],
      help: ['help'],
      help_text: 'Call us at 555 0100.',
    },
    de: { person: ['Mensch'], help: ['Hilfe'], help_text: 'Rufen Sie uns an: 555 0100.' },
  },
};

export const lifecycle = compile(JSON.stringify({ ...conversationLifecycle, policies }), {
  format: 'lifecycle',
});
