/** Keeps secrets out of messages, logs and stores. */
export {
  protectHeaders,
  protectSecret,
  protectSecretsIn,
  isSecretField,
  isSecretVariable,
  withoutSecrets,
} from '../secrets/secrets.ts';
export { errorWithoutSecrets } from '../secrets/error-without-secrets.ts';
