// A real OpenID provider for the sign-in test: discovery, keys, codes with PKCE, signed tokens. Behind its token
// endpoint stands somebody who can sign with its key too, and who lies when told to.
import { generateKeyPairSync } from "node:crypto";
import http from "node:http";
import { decodeJwt, importJWK, SignJWT } from "jose";
import Provider from "oidc-provider";

function signingKey(method) {
  const pair = method === "RS256" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...pair.privateKey.export({ format: "jwk" }), use: "sig", alg: method, kid: `key-${method}` };
}

/// Starts it for one client; `people` maps names to groups, `lie` changes what tokens say.
export async function startProvider({ method, redirect, secret, people }) {
  const key = signingKey(method);
  const server = http.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const state = { lie: null, verifiers: 0, issuer, close: () => server.close() };
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "recount", ...(secret && { client_secret: secret }), redirect_uris: [redirect], response_types: ["code"],
      grant_types: ["authorization_code"], id_token_signed_response_alg: method,
      token_endpoint_auth_method: secret ? "client_secret_basic" : "none",
    }],
    jwks: { keys: [key] },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
    cookies: { keys: ["a key for the cookies of this test"] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, email: `${id}@example.test`, groups: people.get(id) ?? [] }),
    }),
  });
  provider.use(async (context, next) => {
    await next();
    if (context.path !== "/token" || !context.body?.id_token) return;
    state.verifiers += 1;
    if (!state.lie) return;
    const { claims, header } = state.lie({ ...decodeJwt(context.body.id_token) }, { alg: method, kid: key.kid });
    const signer = await importJWK(state.lie.key ?? key, method);
    context.body = { ...context.body, id_token: await new SignJWT(claims).setProtectedHeader(header).sign(signer) };
  });
  server.on("request", provider.callback());
  return state;
}
