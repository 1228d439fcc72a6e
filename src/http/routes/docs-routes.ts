import {answer, type HttpAnswer} from '../message.ts';
import type {JsonObject} from '../openapi/document.ts';
import type {Route} from '../route.ts';
import {refuseQuery} from './no-query.ts';

/** What the routes of the documentation need. */
export interface DocsRoutesDeps {
  readonly version: string;
  /** The JSON Schema of the identity document; asked for when somebody reads the documentation. */
  readonly identitySchema: () => Promise<JsonObject>;
}

/** `/openapi.json` and `/docs`. */
export function docsRoutes({version, identitySchema}: DocsRoutesDeps): readonly Route[] {
  const makeDocument = async (): Promise<HttpAnswer> => {
    // Loaded on demand: the schema library takes longer to load than the rest of the service to start.
    const {buildOpenApi} = await import('../openapi/document.ts');
    return answer(JSON.stringify(buildOpenApi({version, identitySchema: await identitySchema()})));
  };
  let document: Promise<HttpAnswer> | undefined;
  return [
    {
      path: '/openapi.json',
      operations: {
        GET: ({query}) => {
          refuseQuery(query);
          document ??= makeDocument();
          return document;
        },
      },
    },
  ];
}
