import type { Provider } from '@nestjs/common';
import { ImageFetcher } from '@signalbox/gateways/image-fetcher';
import type { ChatappWorkerConfig } from '../config.ts';
import { ProviderAccounts } from './provider-accounts.ts';
import { SampleFiles } from './sample-files.ts';
import { TemplateRegistrar } from './template-registrar.ts';

/** Returns everything that brings templates to the provider of a gateway. */
export function providerTemplates({ ALLOW_PRIVATE_WEBHOOKS: allowPrivate }: ChatappWorkerConfig): Provider[] {
  return [
    { provide: ImageFetcher, useValue: new ImageFetcher({ allowPrivate }) },
    SampleFiles,
    TemplateRegistrar,
    ProviderAccounts,
  ];
}
