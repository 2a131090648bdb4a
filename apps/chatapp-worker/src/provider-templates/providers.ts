import type { Provider } from '@nestjs/common';
import { ImageFetcher } from '@signalbox/gateways/image-fetcher';
import { ChatappWorkerConfig } from '../config.ts';
import { ProviderAccounts } from './provider-accounts.ts';
import { SampleFiles } from './sample-files.ts';
import { TemplateRegistrar } from './template-registrar.ts';

/** Everything that brings templates to the provider of a gateway. */
export const PROVIDER_TEMPLATES: readonly Provider[] = [
  {
    provide: ImageFetcher,
    inject: [ChatappWorkerConfig],
    useFactory: ({ ALLOW_PRIVATE_WEBHOOKS: allowPrivate }: ChatappWorkerConfig) =>
      new ImageFetcher({ allowPrivate }),
  },
  SampleFiles,
  TemplateRegistrar,
  ProviderAccounts,
];
