import { Model } from './model/model.ts';
import type { LangchainOptions } from './options.ts';

/**
 * Loads the model, so that what is missing is known before anything begins. No server is asked.
 *
 * @throws PortError with what to do about a key, a provider or a package that is not there
 */
export async function requireModel(
  options: Pick<LangchainOptions, 'model' | 'baseUrl' | 'modelOptions'>,
): Promise<void> {
  await new Model(options).load();
}
