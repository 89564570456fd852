{{- /*
Nothing but what Go's text/template has by itself: no functions of Helm or Sprig. So what the chart makes can be read off the templates, and
any program with that engine can check it.
*/ -}}

{{- /* A map on one line; texts in quotes. */ -}}
{{- define "driftless.map" -}}
{ {{- range $key, $value := . }} {{ printf "%q" $key }}: {{ if eq (printf "%T" $value) "string" }}{{ printf "%q" $value }}{{ else }}{{ $value }}{{ end }}, {{- end }} }
{{- end -}}

{{- define "driftless.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%q" (printf "%s@%s" .Values.image.repository .Values.image.digest) }}
{{- else if .Values.image.tag -}}
{{ printf "%q" (printf "%s:%s" .Values.image.repository .Values.image.tag) }}
{{- else -}}
{{ printf "%q" (printf "%s:%s" .Values.image.repository .Chart.AppVersion) }}
{{- end -}}
{{- end -}}

{{- /* Of the objects; those of pods and selectors are fewer, because selectors cannot change. */ -}}
{{- define "driftless.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
    app.kubernetes.io/part-of: driftless
    app.kubernetes.io/managed-by: {{ .Release.Service }}
    helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "driftless.containerSecurity" -}}
{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
{{- end -}}

{{- define "driftless.podSecurity" -}}
{ runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, seccompProfile: { type: RuntimeDefault } }
{{- end -}}

{{- define "driftless.pullSecrets" -}}
[ {{- range . }} { name: {{ printf "%q" . }} }, {{- end }} ]
{{- end -}}

{{- define "driftless.tolerations" -}}
[ {{- range . }} {{ template "driftless.map" . }}, {{- end }} ]
{{- end -}}

{{- /* Names of a cluster are everybody's: two releases of the same name may be in different namespaces. */ -}}
{{- define "driftless.rightsName" -}}
{{- if eq .Values.scope "cluster" -}}{{ .Release.Namespace }}-{{- end -}}{{ .Release.Name }}
{{- end -}}
