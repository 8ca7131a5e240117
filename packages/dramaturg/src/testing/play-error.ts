import { DramaturgError } from '@dramaturg/compiler';

/**
 * Expectations that do not hold, or steps that cannot be carried out: one sentence for each.
 *
 * @example
 * ```ts
 * try {
 *   await play(intake, [{ person: 'Maria', collected: { customer_name: 'Ada' } }]);
 * } catch (error) {
 *   if (error instanceof PlayError) console.log(error.message.split(':')[0]); // → Step 1, collected
 * }
 * ```
 */
export class PlayError extends DramaturgError<'test/failed'> {
  override readonly name = 'PlayError';

  constructor(message: string) {
    super('test/failed', message);
  }
}
