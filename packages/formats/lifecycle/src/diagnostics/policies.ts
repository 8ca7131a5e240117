import { problemsOf } from '@dramaturg/compiler/format';
import { longestWord } from '../limits.ts';

const { error } = problemsOf('lifecycle');

/** Problems of the policies. */

export const badWord = error(
  'bad-word',
  (
    fault: 'blank' | 'long' | 'ambiguous' | 'unanswered' | 'language',
    text: string,
    other: string = '',
  ) => ({
    message: {
      blank: `"${text}" has no letter or digit, so no message is this word.`,
      long: `The word "${text}" is too long: a word has at most ${longestWord} characters.`,
      ambiguous: `The word "${text}" is already a word of "${other}".`,
      unanswered: `The word "${text}" asks for help, but there is no "help_text" to answer with.`,
      language: `"${text}" is not the code of a language.`,
    }[fault],
    hint: {
      blank: 'Write a word that people send, such as "STOP".',
      long: 'Write one or a few words: the whole message has to be the same.',
      ambiguous: 'Remove it from one of the two lists.',
      unanswered: 'Add "help_text" next to "help": the sentence that the contact receives.',
      language: 'Write a code such as "en", "de" or "pt-BR", and the lists of words below it.',
    }[fault],
  }),
);

export const blankText = error('blank-text', () => ({
  message: 'The text for the contact is blank.',
  hint: 'Write the sentence that the contact receives.',
}));

export const badTime = error(
  'bad-time',
  (fault: 'zone' | 'clock' | 'date' | 'calendar' | 'after' | 'never', written: string) => ({
    message: {
      zone: `"${written}" is not the name of a time zone.`,
      clock: `"${written}" is not a time of the day.`,
      date: `"${written}" is not a date.`,
      calendar: `"${written}" is not an iCalendar file with all-day events.`,
      after: `"${written}" does not say when a reminder is sent.`,
      never: 'These hours leave no time for a reminder.',
    }[fault],
    hint: {
      zone: 'Write a name of the IANA time zone database, such as "Europe/Berlin" or "America/Santiago".',
      clock: 'Write hours and minutes, from "00:00" to "24:00".',
      date: 'Write year, month and day, such as "2026-12-25".',
      calendar:
        'Use the text of a file that begins with BEGIN:VCALENDAR. Rules other than FREQ=YEARLY are not read: write their days.',
      after:
        'Write a number with "minutes", "hours", "days", "weeks" or "working days"; after days also a time: "1 working day at 09:00".',
      never: 'Leave some working hours outside of the quiet hours.',
    }[fault],
  }),
);
