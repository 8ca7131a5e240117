// cspell:disable
/** What a contact hears who waits for a reply in vain, by language and cause. */
const sentences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: {
    waiting: 'One moment, please.',
    failed: 'Sorry, I cannot answer right now. A colleague will get back to you.',
  },
  de: {
    waiting: 'Einen Moment, bitte.',
    failed:
      'Leider kann ich gerade nicht antworten. Jemand aus unserem Team meldet sich bei Ihnen.',
  },
  fr: {
    waiting: 'Un instant, s’il vous plaît.',
    failed: 'Désolé, je ne peux pas répondre pour le moment. Un collègue reviendra vers vous.',
  },
  es: {
    waiting: 'Un momento, por favor.',
    failed: 'Lo siento, ahora no puedo responder. Un compañero se pondrá en contacto con usted.',
  },
  it: {
    waiting: 'Un momento, per favore.',
    failed: 'Mi dispiace, ora non posso rispondere. Un collega la ricontatterà.',
  },
  pt: {
    waiting: 'Um momento, por favor.',
    failed: 'Desculpe, não consigo responder agora. Um colega entrará em contacto consigo.',
  },
};
// cspell:enable

/** @param language a code such as `de` or `de-AT`; English where there are no sentences */
export function fallbackFor(cause: string, language: unknown): string {
  const code = typeof language === 'string' ? language.toLowerCase().slice(0, 2) : 'en';
  const known = Object.hasOwn(sentences, code) ? sentences[code]! : sentences['en']!;
  return Object.hasOwn(known, cause) ? known[cause]! : '';
}
