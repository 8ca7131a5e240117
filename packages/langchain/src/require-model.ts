import { Model } from './model/model.ts';
import type { LangchainOptions } from './options.ts';

/**
 * Loads the model, to find out before a run whether anything is missing. No request is made.
 *
 * @throws PortError that says what to do about a missing key, provider or package
 */
export async function requireModel(
  options: Pick<LangchainOptions, 'model' | 'baseUrl' | 'modelOptions'>,
): Promise<void> {
  await new Model(options).load();
}
