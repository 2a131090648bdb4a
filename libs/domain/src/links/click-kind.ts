/** Kind of client that follows a short link. A prefetch loads it before a person taps. */
export type ClickKind = 'person' | 'bot' | 'prefetch';

/** Parts of a request that identify its client. */
export interface ClickSigns {
  method: string;
  userAgent: string | undefined;
  /** Value of the header Sec-Purpose, Purpose or X-Moz. */
  purpose: string | undefined;
}

/** Programs that fetch the links of a message to show a preview. */
const PREVIEWS =
  /facebookexternalhit|facebot|whatsapp|telegrambot|twitterbot|slackbot|slack-imgproxy|discordbot|linkedinbot|skypeuripreview|microsoftpreview|google-pagerenderer|googlemessages|bitlybot|embedly|iframely|redditbot|line-poker|pinterestbot|applebot-preview/i;

/** Crawlers, scanners, monitors and HTTP libraries. A Cubot is a phone. */
const BOTS =
  /(?<!cu)bot(?![a-z])|crawl|spider|slurp|scan|monitor|probe|check|fetch|preview|archiver|headless|phantom|puppeteer|playwright|selenium|lighthouse|curl|wget|httpie|python|aiohttp|httpx|go-http-client|java\/|okhttp|apache-httpclient|node|axios|undici|libwww|perl|ruby|php|postman|insomnia|virustotal|barracuda|proofpoint|mimecast|safelinks|symantec|zscaler|duckduckgo-favicons|ia_archiver/i;

/** Classifies a click by its request. A program that imitates a browser counts as a person. */
export function clickKind({ method, userAgent, purpose }: ClickSigns): ClickKind {
  if (method === 'HEAD' || (purpose !== undefined && /prefetch|prerender|preview/i.test(purpose)))
    return 'prefetch';
  if (userAgent === undefined || userAgent === '') return 'bot';
  if (PREVIEWS.test(userAgent)) return 'prefetch';
  return BOTS.test(userAgent) ? 'bot' : 'person';
}
