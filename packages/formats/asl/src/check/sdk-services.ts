/**
 * The services of `arn:aws:states:::aws-sdk:<service>:<action>`: the service ids of AWS's public API models in November 2026
 * (botocore 1.43.107), in lower case, without blanks and without "Service" at the end.
 */
const current = `
  accessanalyzer account accountaccess acm acmpca agentregistry agentregistrycontrol aiops amp amplify amplifybackend
  amplifyuibuilder apigateway apigatewaymanagementapi apigatewayv2 appconfig appconfigdata appfabric appflow
  appintegrations applicationautoscaling applicationcostprofiler applicationdiscovery applicationinsights
  applicationsignals appmesh apprunner appstream appsync arcregionswitch arczonalshift artifact athena auditmanager
  autoscaling autoscalingplans b2bi backup backupgateway backupsearch batch bcmdashboards bcmdataexports
  bcmpricingcalculator bcmrecommendedactions bedrock bedrockagent bedrockagentcore bedrockagentcorecontrol
  bedrockagentruntime bedrockdataautomation bedrockdataautomationruntime bedrockruntime billing billingconductor
  braket budgets chatbot chime chimesdkidentity chimesdkmediapipelines chimesdkmeetings chimesdkmessaging
  chimesdkvoice cleanrooms cleanroomsml cloud9 cloudcontrol clouddirectory cloudformation cloudfront
  cloudfrontkeyvaluestore cloudhsm cloudhsmv2 cloudsearch cloudsearchdomain cloudtrail cloudtraildata cloudwatch
  cloudwatchevents cloudwatchlogs cloudwatchomni codeartifact codebuild codecatalyst codecommit codeconnections
  codedeploy codeguruprofiler codegurureviewer codegurusecurity codepipeline codestarconnections codestarnotifications
  cognitoidentity cognitoidentityprovider cognitosync comprehend comprehendmedical computeoptimizer
  computeoptimizerautomation config connect connectcampaigns connectcampaignsv2 connectcases connectcontactlens
  connecthealth connectparticipant controlcatalog controltower costandusagereport costexplorer costoptimizationhub
  customerprofiles databasemigration databrew dataexchange datapipeline datasync datazone dax deadline detective
  devicefarm devopsagent devopsguru directconnect directory directoryservicedata dlm docdb docdbelastic drs dsql
  dynamodb dynamodbstreams ebs ec2 ec2instanceconnect ecr ecrpublic ecs efs eks eksauth elasticache elasticbeanstalk
  elasticloadbalancing elasticloadbalancingv2 elasticsearch elementalinference emr emrcontainers emrserverless
  endusermessaging entityresolution eventbridge eventbridgev2 evs finspace finspacedata firehose fis fms forecast
  forecastquery frauddetector freetier fsx gamelift gameliftstreams geomaps geoplaces georoutes glacier
  globalaccelerator glue grafana greengrass greengrassv2 groundstation guardduty health healthlake iam iamtoolbox
  identitystore imagebuilder importexport inspector inspector2 inspectorscan interconnect internetmonitor invoicing
  iot iotdataplane iotdeviceadvisor iotfleetwise iotjobsdataplane iotmanagedintegrations iotsecuretunneling
  iotsitewise iotthingsgraph iottwinmaker iotwireless ivs ivschat ivsrealtime kafka kafkaconnect kendra kendraranking
  keyspaces keyspacesstreams kinesis kinesisanalytics kinesisanalyticsv2 kinesisvideo kinesisvideoarchivedmedia
  kinesisvideomedia kinesisvideosignaling kinesisvideowebrtcstorage kms lakeformation lambda lambdacore lambdamicrovms
  lambdaweb launchwizard lexmodelbuilding lexmodelsv2 lexruntime lexruntimev2 licensemanager
  licensemanagerlinuxsubscriptions licensemanagerusersubscriptions lightsail location lookoutequipment m2
  machinelearning macie2 mailmanager managedblockchain managedblockchainquery marketplaceagreement marketplacecatalog
  marketplacecommerceanalytics marketplacedeployment marketplacediscovery marketplaceentitlement marketplacemetering
  marketplacereporting mediaconnect mediaconvert medialive mediapackage mediapackagev2 mediapackagevod mediastore
  mediastoredata mediatailor medicalimaging memorydb mgn migrationhub migrationhubconfig migrationhuborchestrator
  migrationhubrefactorspaces migrationhubstrategy mpa mq mturk mwaa mwaaserverless neptune neptunedata neptunegraph
  networkfirewall networkflowmonitor networkmanager networkmonitor networksecuritymanager notifications
  notificationscontacts novaact oam observabilityadmin odb omics opensearch opensearchserverless organizations osis
  outposts partnercentralaccount partnercentralbenefits partnercentralchannel partnercentralrevenuemeasurement
  partnercentralselling paymentcryptography paymentcryptographydata pcaconnectorad pcaconnectorscep pcs personalize
  personalizeevents personalizeruntime pi pinpoint pinpointemail pinpointsmsvoice pinpointsmsvoicev2 pipes polly
  pricing pricingplanmanager proton qapps qbusiness qconnect quicksight ram rbin rds rdsdata redshift redshiftdata
  redshiftserverless rekognition repostspace resiliencehub resiliencehubv2 resourceexplorer2 resourcegroups
  resourcegroupstaggingapi rolesanywhere route53 route53domains route53globalresolver route53profiles
  route53recoverycluster route53recoverycontrolconfig route53recoveryreadiness route53resolver rtbfabric rum s3
  s3control s3files s3outposts s3tables s3vectors sagemaker sagemakera2iruntime sagemakeredge
  sagemakerfeaturestoreruntime sagemakergeospatial sagemakerjobruntime sagemakermetrics sagemakerruntime savingsplans
  scheduler schemas secretsmanager securityagent securityhub securityir securitylake serverlessapplicationrepository
  servicecatalog servicecatalogappregistry servicediscovery servicequotas ses sesv2 sfn shield signer signerdata
  signin simpledb simpledbv2 snowball snowdevicemanagement sns socialmessaging sqs ssm ssmcontacts ssmguiconnect
  ssmincidents ssmquicksetup ssmsap sso ssoadmin ssooidc storagegateway sts supplychain support supportapp
  supportauthz sustainability swf synthetics taxsettings textract timestreaminfluxdb timestreamquery timestreamwrite
  tnb transcribe transfer translate trustedadvisor uxc verifiedpermissions voiceid vpclattice waf wafregional wafv2
  wellarchitected wickr wisdom workdocs workmail workmailmessageflow workspaces workspacesinstances
  workspacesthinclient workspacesweb xray
`;

/** Services that AWS has ended, which older definitions call. */
const ended = `
  alexaforbusiness backupstorage codestar elasticinference elastictranscoder evidently gamesparks honeycode
  iot1clickdevices iot1clickprojects iotanalytics iotevents ioteventsdata iotfleethub iotroborunner lookoutmetrics
  lookoutvision macie mobile nimble opsworks opsworkscm panorama privatenetworks qldb qldbsession robomaker
  simspaceweaver sms worklink
`;

export const sdkServices: readonly string[] = `${current}${ended}`.trim().split(/\s+/);
