import type { EventObject } from '@dramaturg/compiler';
import { type DeliveryReport, withReport } from './delivery-reports.ts';
import { followUpKey } from './follow-up.ts';
import type { Question } from './inbox.ts';
import { type MessageLetter, messageLetter, routeOf } from './letter.ts';
import type { FlowRun } from './flow-run.ts';
import { optionalText } from './read.ts';
import type { WorkingState } from './working-state.ts';

/** Turns events about messages into letters of the outbox and lines of the transcript. */
export class InstanceMessages {
  readonly #working: WorkingState;
  readonly #hasChannel: (name: string) => boolean;
  readonly #language: unknown;

  /** @param the language of the definition */
  constructor(working: WorkingState, hasChannel: (name: string) => boolean, language: unknown) {
    this.#working = working;
    this.#language = language;
    this.#hasChannel = hasChannel;
  }

  /** Records a message that the lifecycle has accepted from the contact or from a person on the agent's side. */
  record({ id, role, text }: EventObject, flowRun: FlowRun | undefined): void {
    const message = { id: String(id), text: optionalText(text) };
    if (role === 'manual') {
      this.#recordManual(message, flowRun);
      return;
    }
    const { messageFields, heard: word } = this.#working.step;
    if (word === 'person' || word === 'restart') flowRun?.obey(word);
    else flowRun?.addToInbox(this.#working.transcript.length, message.text);
    this.#working.addMessage({ ...message, ...(word && { word }), ...messageFields });
  }

  /** Records a message by hand. Unsent messages of the agent about lines that it answers are dropped. */
  #recordManual(message: { id: string; text: string }, flowRun: FlowRun | undefined): void {
    const { step, state, transcript } = this.#working;
    const { author, upTo } = step;
    const owner =
      author !== undefined && state.claim?.by === author ? transcript.length : undefined;
    const read = upTo ?? owner;
    this.#working.addLine({
      ...message,
      role: 'manual',
      ...this.#author,
      ...(read === undefined ? {} : { upTo: read }),
    });
    if (upTo === undefined || !flowRun) return;
    flowRun.noteAnswered(upTo);
    if (flowRun.isAnswered) this.#dropAnswers();
  }

  #dropAnswers(): void {
    const { outbox } = this.#working;
    for (const { letter, body } of outbox.messages)
      if (body.role === 'agent' && !outbox.isAccepted(letter))
        this.reject(letter, body, 'A person has answered.');
  }

  /** Adds a message to the outbox. A message that is requested again after a crash is the same letter. */
  request(event: EventObject): void {
    const message = String(event['id']);
    const text =
      optionalText(event['text']) ||
      fallbackFor(optionalText(event['cause']), event['language'] ?? this.#language);
    const role = event['role'] === 'manual' ? 'manual' : 'agent';
    const { step, state } = this.#working;
    const isReminder = role === 'agent' && message === followUpKey(String(event['turn']));
    const body: MessageLetter = {
      kind: 'message',
      message,
      role,
      text,
      at: step.at,
      ...(role === 'manual' ? this.#author : {}),
      ...(role === 'manual' && step.upTo !== undefined ? { upTo: step.upTo } : {}),
      ...(isReminder ? { isReminder: true } : {}),
    };
    const isNew = this.#working.outbox.add(messageLetter(message), body);
    if (!isNew || role !== 'agent') return;
    const { length } = this.#working.transcript;
    // The answer to a word leaves the open question open, as a reminder does.
    if (!isReminder && event['aside'] !== true) {
      const { before: _, ...before } = state.question ?? {};
      const question = { id: message, line: length, at: step.at };
      this.#working.patch({
        question: { ...question, ...(state.question && { before: before as Question }) },
      });
    }
    this.#working.addLine({ id: message, role, text });
  }

  get #author(): { readonly by?: string } {
    const { author } = this.#working.step;
    return author === undefined ? {} : { by: author };
  }

  /** Sends a notice of an open decision, if the host has the channel. Other recipients use the event. */
  notify({ id, channel, to, text }: EventObject): void {
    if (typeof channel !== 'string' || !this.#hasChannel(channel)) return;
    const { id: instance, step, outbox } = this.#working;
    const { at } = step;
    const message = `${instance}/${optionalText(id)}/notice/${at}/${step.nextNotice()}`;
    outbox.add(messageLetter(message), {
      kind: 'message',
      message,
      role: 'notice',
      text: optionalText(text),
      at,
      to: { channel, address: optionalText(to) },
    });
  }

  /** Withdraws all unsent messages, after a cancellation or an opt-out. Authors of messages by hand are notified. */
  withdrawAll(because = 'the instance was cancelled.'): void {
    const { outbox } = this.#working;
    const messages = outbox.messages;
    // The channel may be processing the first message now. Its answer tells whether the message was delivered.
    const first = messages.find(({ body }) => routeOf(body) === '')?.letter;
    for (const { letter, body } of messages) {
      if (body.role !== 'manual') outbox.settle(letter);
      else if (letter !== first) this.reject(letter, body, because);
    }
  }

  /** Withdraws reminders of a question that is not open any more. */
  withdrawReminders(): void {
    const { outbox } = this.#working;
    for (const { letter, body } of outbox.messages) if (body.isReminder) outbox.settle(letter);
  }

  reject(letter: string, { message: id, role }: MessageLetter, because: string): void {
    this.#working.outbox.settle(letter);
    this.#working.emit('host', { type: 'message.rejected', id, role, because });
    this.#note({ message: id, status: 'failed', reason: because });
  }

  /** Notes a report about a message. */
  report(report: Omit<DeliveryReport, 'instance'>): void {
    const { message: id, ...rest } = report;
    this.#working.emit('host', { type: 'delivery.reported', id, ...rest });
    this.#note(report);
  }

  #note(report: Omit<DeliveryReport, 'instance'>): void {
    const { state, step } = this.#working;
    this.#working.patch({ reports: withReport(state.reports, { ...report, at: step.at }) });
  }
}

// cspell:disable
/** Messages for a contact whose reply has failed, by language and cause. */
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
