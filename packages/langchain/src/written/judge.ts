import type { NextReply, PortInput } from '@dramaturg/compiler';
import type { ClosedAnswer, ClosedAnswers, ClosedQuestion } from '../answer/closed-answers.ts';
import type { Asking } from '../model/asking.ts';
import type { Composer } from '../prompt/composer.ts';
import { dataIn, replyIn, withReply } from './combined-answer.ts';
import {
  messageForm,
  messageFormOfChoice,
  messageInstructions,
  promptWith,
} from './message-instructions.ts';
import type { ReplyStore } from './reply-store.ts';

type Input = PortInput<'think'> & { readonly reply?: NextReply | undefined };

interface Judgement<Answer> extends Omit<ClosedQuestion<Answer>, 'messages'> {
  readonly form: string;
  readonly now: readonly string[];
  /** The one case in which the message may be used; any that the model names when absent. */
  readonly caseOf?: (answer: Answer) => string;
}

/** Asks for a closed answer about a conversation and, if it may, for the next message in the same request. */
export class Judge {
  readonly answers: ClosedAnswers;
  readonly #composer: Composer;
  readonly #replies: ReplyStore | undefined;

  /** @param replies where messages are kept; without it, models are asked for answers alone */
  constructor(answers: ClosedAnswers, composer: Composer, replies: ReplyStore | undefined) {
    this.answers = answers;
    this.#composer = composer;
    this.#replies = replies;
  }

  async ask<Answer>(
    input: Input,
    asking: Asking,
    { form, now, caseOf, ...question }: Judgement<Answer>,
  ): Promise<ClosedAnswer<Answer>> {
    const { reply } = input;
    const { tools } = question;
    this.#replies?.forget(input, asking.call);
    // A model that uses tools first is asked again. Near the limit of tokens, a message could cost the data.
    const isAlone = reply === undefined || tools.length > 0 || asking.call.maxTokens !== undefined;
    if (this.#replies === undefined || isAlone) {
      const messages = await this.#composer.judging(input, asking.call, { form, now });
      return this.answers.ask({ ...question, messages }, asking);
    }
    const prompt = promptWith(input.prompt, reply);
    const messages = await this.#composer.judging({ ...input, prompt }, asking.call, {
      form: `${form}\n${caseOf ? messageFormOfChoice : messageForm}`,
      now: [...now, messageInstructions(reply, prompt)],
    });
    const result = await this.answers.ask(
      {
        ...question,
        messages,
        schema: withReply(question.schema, caseOf !== undefined),
        strict: false,
        read: readBoth,
      },
      asking,
    );
    if ('toolCalls' in result) return result;
    if ('problem' in result) return { ...result, value: dataIn(result.value) };
    const { answer, written } = result.answer;
    if (written && (caseOf === undefined || caseOf(answer) === written.case.id))
      this.#replies.keep(written, input, reply, asking.call);
    return { answer };

    /** The message is optional: the model is not asked again for a better one. */
    function readBoth(value: unknown) {
      const read = question.read(dataIn(value));
      return 'problem' in read
        ? read
        : { answer: { answer: read.answer, written: replyIn(value, reply as NextReply) } };
    }
  }
}
